// rules: CU602
// Arrays in shared memory of which each thread uses a slice of its own.
#include <cuda_runtime.h>
#define MINE held[threadIdx.x]

__global__ void one(float *out, const float *in, int n)
{
    __shared__ volatile float sum[256];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    sum[tid] = 0.0f;
    for (int k = 0; k < n; k++)
        sum[tid] += in[k * 16384 + i];
    out[i] = sum[tid];
}

__global__ void four(float4 *out, const float *in)
{
    __shared__ float part[4][256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 4; k++)
        part[k][threadIdx.x] = in[k * 16384 + i];
    for (int k = 1; k < 4; k++)
        part[k][threadIdx.x] += 0.5f * part[k - 1][threadIdx.x];
    out[i] = make_float4(part[0][threadIdx.x], part[1][threadIdx.x], part[2][threadIdx.x],
                         part[3][threadIdx.x]);
}

// what is left alone: a slice that would lie in local memory, an index that moves on,
// a pointer to an element, a macro that names the array
__global__ void window(float *out, const float *in, int n)
{
    __shared__ float part[8][256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        part[k][threadIdx.x] = in[k * 16384 + i];
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += part[k][threadIdx.x] * part[n - 1 - k][threadIdx.x];
    out[i] = sum;
}

__global__ void moves(float *out, const float *in)
{
    __shared__ float part[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int at = threadIdx.x;
    for (int k = 0; k < 4; k++) {
        part[at] = in[k * 16384 + i];
        at += 256;
    }
    at = threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 4; k++) {
        sum = 0.5f * sum + part[at];
        at += 256;
    }
    out[i] = sum;
}

__device__ void add(volatile float *to, float value) { *to += value; }

__global__ void pointer(float *out, const float *in, int n)
{
    __shared__ volatile float sum[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    sum[threadIdx.x] = 0.0f;
    for (int k = 0; k < n; k++)
        add(sum + threadIdx.x, in[k * 16384 + i]);
    out[i] = sum[threadIdx.x];
}

__global__ void named(float *out, const float *in, int n)
{
    __shared__ volatile float held[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    held[threadIdx.x] = 0.0f;
    for (int k = 0; k < n; k++)
        MINE += in[k * 16384 + i];
    out[i] = held[threadIdx.x];
}

int main()
{
    float *a, *b;
    float4 *c;
    cudaMalloc(&a, 16384 * sizeof(float));
    cudaMalloc(&b, 32 * 16384 * sizeof(float));
    cudaMalloc(&c, 16384 * sizeof(float4));
    one<<<64, 256>>>(a, b, 32);
    four<<<64, 256>>>(c, b);
    window<<<64, 256>>>(a, b, 8);
    moves<<<64, 256>>>(a, b);
    pointer<<<64, 256>>>(a, b, 32);
    named<<<64, 256>>>(a, b, 32);
}
