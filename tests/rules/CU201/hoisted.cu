// The compiler gives a load that it moves to the barrier before its loop no line of its own.
#include <cuda_fp16.h>

__global__ void product(half *c, const half *a, int rows)
{
    __shared__ half tile[128][8];
    int row = threadIdx.x / 2, column = threadIdx.x % 2 * 4;
    half sum[8] = {};
    for (int first = 0; first < rows; first += 128) {
        *(float2 *)&tile[row][column] = *(const float2 *)&a[(first + row) * 8 + column];
        __syncthreads();

#pragma unroll
        for (int k = 0; k < 8; k++)
#pragma unroll
            for (int n = 0; n < 8; n++)
                sum[n] = __hfma(tile[threadIdx.x % 16 * 8][k], tile[n][k], sum[n]);  // expect: CU201
        __syncthreads();
    }
    for (int n = 0; n < 8; n++)
        c[(blockIdx.x * 8 + n) * 256 + threadIdx.x] = sum[n];
}

void launch(half *c, const half *a) { product<<<648, 256>>>(c, a, 4096); }
