#include <cuda_fp16.h>

// What threads wait for are loads. Where these are of words, a narrow store costs a request more.
__global__ void narrowed(unsigned short *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 65535.0f * in[i];  // undecided: CU103 (the rule's own) "only its stores are narrow"
}

// A flag of one byte for each thread fills a quarter of its request.
__global__ void flagged(char *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] > 0.5f;  // expect: CU103
}

// Nothing is loaded: the store is all that there is.
__global__ void filled(unsigned short *out, int value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = value;  // expect: CU103 "ushort2 or short2"
}

// The load is as narrow.
__global__ void doubled(unsigned short *out, const unsigned short *in, const float *factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = factor[i] * in[i];  // expect: CU103 "load from `in`"  // also: CU103
}

__global__ void zeroed(__half *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = __half();  // expect: CU103 "__half2"
}

// One half becomes a float: twice as many bytes are stored, in whole words.
__global__ void widened(float *out, const __half *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = __half2float(in[i]);  // undecided: CU103 (the rule's own) "what it loads it stores in whole words"
}

// Many halves become a float.
__global__ void summed(float *out, const __half *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 64; k++)
        sum += __half2float(in[k * n + i]);  // expect: CU103
    out[i] = sum;
}

void launch(unsigned short *out, const float *in, const unsigned short *narrow)
{
    narrowed<<<4096, 256>>>(out, in, 1 << 20);
    flagged<<<4096, 256>>>((char *)out, in, 1 << 20);
    filled<<<4096, 256>>>(out, 7, 1 << 20);
    zeroed<<<4096, 256>>>((__half *)out, 1 << 20);
    widened<<<4096, 256>>>((float *)in, (const __half *)narrow, 1 << 20);
    summed<<<4096, 256>>>((float *)in, (const __half *)narrow, 1 << 20);
    doubled<<<4096, 256>>>(out, narrow, in, 1 << 20);
}
