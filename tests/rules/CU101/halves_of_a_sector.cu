// Elements of 32 bytes, moved by the widest vectors there are: each sector is used by one thread.
#include <cuda_runtime.h>

const int ROWS = 1000;

struct __align__(16) Limbs { uint4 low, high; };

// ok: nothing is wider than 16 bytes, wherever rows of elements begin
__global__ void butterflies(Limbs *out, const Limbs *in, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int at = i / ROWS * width + i % ROWS * 2;
    Limbs mine = in[at];
    mine.low.x += mine.high.w;
    out[at] = mine;
}

// Of each element only a half is used.
__global__ void lows(uint4 *out, const Limbs *in, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int at = i / ROWS * width + i % ROWS * 2;
    out[i] = in[at].low;  // expect: CU101 "32 sectors"
}

// Rows of 128 bytes are no elements: neighbouring threads could read neighbouring pieces.
__global__ void rows(float *out, const uint4 *in, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int at = i / ROWS * width + i % ROWS * 8;
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++)
        sum += in[at + k].x ^ in[at + k].w;  // expect: CU101 "32 sectors"
    out[i] = sum;
}

int main()
{
    Limbs *in, *out;
    cudaMalloc(&in, 1 << 28);
    cudaMalloc(&out, 1 << 28);
    butterflies<<<4096, 256>>>(out, in, 4096);
    rows<<<4096, 256>>>((float *)out, (const uint4 *)in, 8192);
    lows<<<4096, 256>>>((uint4 *)out, in, 4096);
}
