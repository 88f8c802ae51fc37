// Roots and quotients that are no reciprocal roots, or that fast functions take already.
__global__ void root(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = sqrtf(x[i]) / 3.0f;
}

__global__ void reciprocal(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = rsqrtf(x[i]);
}

__global__ void approximate(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float root;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(x[i]));
    y[i] = 1.0f / root;
}

// The root is one factor of the divisor.
__global__ void product(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 1.0f / (sqrtf(x[i]) + x[i]);
}

__global__ void root_of_a_product(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = sqrtf(1.0f / x[i] + x[i]);
}

__global__ void other_power(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = powf(x[i], -1.5f);
}

// Once, beside much other work.
__global__ void rare(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 256; k++)
        sum += x[i + k * 16384];
    y[i] = 1.0f / sqrtf(sum);  // refuted: CU707 (too small to report) "memory brings"
}

void launch(float *y, const float *x)
{
    root<<<64, 256>>>(y, x);
    reciprocal<<<64, 256>>>(y, x);
    approximate<<<64, 256>>>(y, x);
    product<<<64, 256>>>(y, x);
    root_of_a_product<<<64, 256>>>(y, x);
    other_power<<<64, 256>>>(y, x);
    rare<<<64, 256>>>(y, x);
}
