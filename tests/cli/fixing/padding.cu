// rules: CU201
// Rows of shared memory whose columns lie in one bank.
#include <cuda_runtime.h>

__global__ void turned(float *out, const float *in)
{
    __shared__ float tile[32][32];
    int x = threadIdx.x;
    for (int y = 0; y < 32; y++)
        tile[y][x] = in[y * 32 + x];
    __syncthreads();
    for (int y = 0; y < 32; y++)
        out[y * 32 + x] = tile[x][y];
}

// what is left alone: rows that are counted by hand elsewhere, where padding would be wrong
__global__ void flat(float *out, const float *in)
{
    __shared__ float tile[32][32];
    float *all = &tile[0][0];
    int x = threadIdx.x;
    for (int y = 0; y < 32; y++)
        all[y * 32 + x] = in[y * 32 + x];
    __syncthreads();
    for (int y = 0; y < 32; y++)
        out[y * 32 + x] = tile[x][y];
}

int main()
{
    float *a, *b;
    cudaMalloc(&a, 1024 * sizeof(float));
    cudaMalloc(&b, 1024 * sizeof(float));
    turned<<<1, 32>>>(a, b);
    flat<<<1, 32>>>(a, b);
}
