// Functions and divisions that are done once, or that nothing replaces.
__global__ void once(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = cosf(in[i]) / 3.0f;
}

__global__ void intrinsic(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += __cosf(in[k * 16384 + i]);
    out[i] = sum;
}

__global__ void two_variables(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += in[k * 16384 + i] / in[(k + 1) * 16384 + i];
    out[i] = sum;
}

__global__ void square_root(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += sqrtf(in[k * 16384 + i]);
    out[i] = sum;
}

__global__ void of_the_counter(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = i;
    for (int k = 0; k < n; k++)
        sum += k / 4;
    out[i] = sum;
}

void launch(float *out, const float *in)
{
    once<<<64, 256>>>(out, in);
    intrinsic<<<64, 256>>>(out, in, 64);
    two_variables<<<64, 256>>>(out, in, 64);
    square_root<<<64, 256>>>(out, in, 64);
    of_the_counter<<<64, 256>>>(out, 64);
}
