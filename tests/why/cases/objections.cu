// What the verdict engine objects, one kernel each. `why:` names rule, verdict, objection, words.
#include <cassert>
#include <cuda_runtime.h>

__global__ void packed(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];  // why: CU101 refuted "nothing wasted" "much more than the ideal"
}

__global__ void bad(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 32];  // why: CU101 confirmed "" "32 sectors per request"
}

__global__ void gather(float *out, const float *in, const int *index)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[index[i]];  // why: CU101 undecided "loaded address" "fine where a[i] = i"
}

__global__ void table(float *out, const float *in, const int *index)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[index[i] & 255];  // why: CU101 refuted "only a table" "1024 bytes"
}

__global__ void strided(float *out, const float *in, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * stride];  // why: CU101 undecided "a stride that may be 1" "stride is 1"
}

__global__ void beyond(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 32];  // why: CU101 undecided "out of its region" "left its allocation"
}

__global__ void asserted(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 32];  // why: CU101 undecided "broken run" "ended in a trap"
    assert(n % 2 == 1);
}

__global__ void overrun(float *out, const float *in)
{
    __shared__ float tile[16];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x * 32] = tile[threadIdx.x ^ 1];  // why: CU101 undecided "wrong launch" "overran"
}

__global__ void histogram(int *bins, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[in[i] & 63], 1);  // why: CU108 undecided "invented data decides" "depends on data"
}

__constant__ int pitch;
__global__ void unknown(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * pitch];  // why: CU101 undecided "unknown constants" "not known"
}

template <int STRIDE> __global__ void never_launched(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * STRIDE];  // why: CU101 undecided "assumed template" "no launch gives them"
}

__global__ void rarely(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 512; k++)
        sum += in[k * 32768 + i];
    out[i * 8] = sum;  // why: CU101 undecided "a small share" "a finding asks for 5%"
}

__global__ void padded_in_vain(float *out, const float *in)
{
    __shared__ float tile[256];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x ^ 64];  // why: CU602 refuted "nothing to report" "each other"
}

__global__ void closed(float *out, const float *in, const int *flags)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (flags[i] == 123456789)
        out[i * flags[i]] = in[i];  // why: CU101 refuted "not reached" "no simulated warp"
}

__global__ void few_turns(float *out, const float *in)
{
    float sum = 0.0f;
#pragma unroll 1
    for (int j = 0; j < 20; j++)
        sum += in[blockIdx.x * 20 + j];  // why: CU906 refuted "nothing wasted" "has 20 iterations"
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void one_thread(float *out, const float *in, int n)
{
    if (threadIdx.x == 0) {
        float sum = 0.0f;
        for (int j = 0; j < n; j++)
            sum += in[blockIdx.x * n + j];  // why: CU906 refuted "nothing wasted" "of few threads"
        out[blockIdx.x] = sum;
    }
}

// The power is hardly ever computed, but its product wherever the loop turns.
__global__ void seldom(float *out, const float *in, float h, int n)
{
    float sum = 0.0f;
    for (int j = 0; j < n; j++) {
        float r = in[j * 256 + threadIdx.x];
        if (r > 1e30f)
            sum += 315.0 / pow(h, 9) * pow(h - r, 3);  // why: CU704 refuted "nothing wasted" "takes more"
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main()
{
    float *out, *in;
    int *index;
    cudaMalloc(&out, 4 * 65536 * 64);
    cudaMalloc(&in, 4 * 65536 * 64);
    cudaMalloc(&index, 4 * 65536);
    packed<<<256, 256>>>(out, in);
    bad<<<256, 256>>>(out, in);
    gather<<<256, 256>>>(out, in, index);
    table<<<256, 256>>>(out, in, index);
    float *small;
    cudaMalloc(&small, 4 * 65536);
    beyond<<<256, 256>>>(out, small);
    asserted<<<256, 256>>>(out, in, 4);
    overrun<<<1, 256>>>(out, in);
    histogram<<<256, 256>>>(index, index);
    rarely<<<128, 256>>>(out, in, 512);
    padded_in_vain<<<1, 256>>>(out, in);
    closed<<<256, 256>>>(out, in, index);
    unknown<<<256, 256>>>(out, in);
    few_turns<<<256, 256>>>(out, in);
    one_thread<<<256, 256>>>(out, in, 500);
    seldom<<<256, 256>>>(out, in, 0.5f, 500);
}
