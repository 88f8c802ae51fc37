// Float functions and divisions in loops.
__global__ void cosine(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += cosf(in[k * 16384 + i]);  // expect: CU706 "`__cosf`"
    out[i] = sum;
}

__global__ void overloaded(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += exp(in[k * 16384 + i]);  // expect: CU706 "`__expf`"
    out[i] = sum;
}

__global__ void power(float *out, const float *in, float e, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += powf(in[k * 16384 + i], e);  // expect: CU706 "`__powf`"
    out[i] = sum;
}

__global__ void divided(float *out, const float *in, float scale, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        out[(k & 3) * 16384 + i] = in[(k & 7) * 16384 + i] / scale;  // expect: CU706 "inverse_scale"; CU109
}

// Where each element comes from memory, that takes longer.
__global__ void streamed(float *out, const float *in, float scale, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        out[k * 16384 + i] = in[k * 16384 + i] / scale;  // undecided: CU706 (a small share) "memory brings"
}

__global__ void by_a_sum(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 1.0f;
    for (int k = 0; k < n; k++)
        sum += in[(k & 7) * 16384 + i];  // expect: CU109
    for (int k = 0; k < n; k++)
        out[(k & 3) * 16384 + i] = in[(k & 7) * 16384 + i] / sum;  // expect: CU706 "before the loop"
}

void launch(float *out, const float *in)
{
    cosine<<<64, 256>>>(out, in, 64);
    overloaded<<<64, 256>>>(out, in, 64);
    power<<<64, 256>>>(out, in, 2.2f, 64);
    divided<<<64, 256>>>(out, in, 3.0f, 64);
    streamed<<<64, 256>>>(out, in, 3.0f, 64);
    by_a_sum<<<64, 256>>>(out, in, 64);
}
