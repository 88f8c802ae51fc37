// Square roots by the general power function.
__device__ float pressure(float x) { return x * 0.4f + 1.0f; }

__global__ void in_float(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = powf(1.4f * pressure(x[i]) / x[i + 1], 0.5f);  // expect: CU704 "`sqrtf(1.4f * pressure(x[i]) / x[i + 1])`"
}

__global__ void in_double(double *y, const double *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = pow(x[i], .5) + 1.0;  // expect: CU704 "`sqrt(x[i])`"
}

__global__ void of_float(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = pow(x[i], 0.5f);  // expect: CU704 "`sqrt(x[i])`"
}

// A root already, and powers that no root is.
__global__ void others(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = sqrtf(x[i]) + powf(x[i], 0.55f) + powf(x[i], 2.5f);
}

void launch(float *y, const float *x, double *d)
{
    in_float<<<64, 256>>>(y, x);
    in_double<<<64, 256>>>(d, d);
    of_float<<<64, 256>>>(y, x);
    others<<<64, 256>>>(y, x);
}
