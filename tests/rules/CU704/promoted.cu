// The commonest way to write a square: a float, and an exponent that is a double.
#include <cmath>

__global__ void square(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = pow(x[i], 2.0);  // expect: CU704 "x[i] * x[i]"
}

__global__ void qualified(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = std::pow(x[i] - 0.5f, 2.0);  // expect: CU704
}

void launch(float *y, const float *x)
{
    square<<<64, 256>>>(y, x);
    qualified<<<64, 256>>>(y, x);
}
