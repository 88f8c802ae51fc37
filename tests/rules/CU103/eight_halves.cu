// Eight halves of a thread's own are 16 bytes: one vector of that size, not of 8.
#include <cuda_fp16.h>

__global__ void rows(half *out, const half *in, const int *which, int width)
{
    int x = threadIdx.x * 8, from = which[blockIdx.x] * width;
    out[blockIdx.x * width + x] = in[from + x];  // expect: CU103 "store to `out`" "one uint4 store"
    out[blockIdx.x * width + x + 1] = in[from + x + 1];
    out[blockIdx.x * width + x + 2] = in[from + x + 2];
    out[blockIdx.x * width + x + 3] = in[from + x + 3];
    out[blockIdx.x * width + x + 4] = in[from + x + 4];
    out[blockIdx.x * width + x + 5] = in[from + x + 5];
    out[blockIdx.x * width + x + 6] = in[from + x + 6];
    out[blockIdx.x * width + x + 7] = in[from + x + 7];
}

void launch(half *out, const half *in, const int *which) { rows<<<864, 128>>>(out, in, which, 1024); }
