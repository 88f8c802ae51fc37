// Powers that are none, or that the compiler writes as products itself.
__global__ void folded_double(double *y, const double *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = pow(x[i], 2);
}

__global__ void fraction(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = powf(x[i], 2.2f);
}

__global__ void any_exponent(float *y, const float *x, float e)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = powf(x[i], e);
}

__global__ void product(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] * x[i] * x[i];
}

// In double, as the host's <cmath> has it; a product would be an int, which may overflow.
__global__ void whole(double *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = pow(i, 2) + n;
}

__device__ float pow(float x, float y, int z)
{
    return x * y + z;
}

__global__ void namesake(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = pow(x[i], 2.0f, 3);
}

// Once, beside much other work: nothing to act on.
__global__ void rare(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = x[i];
    for (int k = 0; k < 1000; k++)
        sum = sum * 0.5f + x[i + k * 16384];
    y[i] = powf(sum, 3.0f);  // undecided: CU704 (a small share) "of what the kernel's warps issue"
}

void launch(float *y, const float *x, double *d)
{
    folded_double<<<64, 256>>>(d, d);
    fraction<<<64, 256>>>(y, x);
    any_exponent<<<64, 256>>>(y, x, 2.0f);
    product<<<64, 256>>>(y, x);
    namesake<<<64, 256>>>(y, x);
    whole<<<64, 256>>>(d, 3);
    rare<<<64, 256>>>(y, x);
}
