// Powers that macros take of what they are given.
#define SQUARE(x) pow(x, 2)
#define CUBE(value) (powf((value), 3.0f))
#define POWER(x, e) powf(x, e)

__global__ void square(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = SQUARE(x[i] + 1.0f);  // expect: CU704 "`pow(x, 2)`" "write `((x) * (x))`"
}

__global__ void cube(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = CUBE(x[i]);  // expect: CU704 "write `((value) * (value) * (value))`"
}

// What is given to the macro would be evaluated twice.
__device__ float next(const float *x, int *at)
{
    *at += 1;
    return x[*at];
}

__global__ void with_effects(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = i;
    y[i] = CUBE(next(x, &at)) + at;
}

// The exponent is the caller's.
__global__ void any_power(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = POWER(x[i], 3.0f);
}

void launch(float *y, const float *x)
{
    square<<<64, 256>>>(y, x);
    cube<<<64, 256>>>(y, x);
    with_effects<<<64, 256>>>(y, x);
    any_power<<<64, 256>>>(y, x);
}
