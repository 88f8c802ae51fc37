// A bound at the head of a kernel whose loops are too long for the larger of the sizes that are
// tried: the run came past the bound, and no warp was split there (small ones are, in turns).
#include <cuda_runtime.h>

__global__ void tiles(float *c, const float *a, const float *b, int m, int n)
{
    int row = blockIdx.y * 128 + threadIdx.x / 2, column = blockIdx.x * 256 + threadIdx.x % 8 * 32;
    if (row >= m || column >= n)  // undecided: CU901 (fine with other values)
        return;
    float sum = 0.0f;
    for (int i = 0; i < m * m / 256; i++)
        for (int j = 0; j < 34; j++)  // undecided: CU906 (fine with other values)
            sum += a[i * 1024 + j] * b[j * 1024 + i];  // undecided: CU501 (invented data decides); CU501 (invented data decides)
    c[row * n + column] = sum;  // undecided: CU101 (a small share)
}

void launch(float *c, const float *a, const float *b, int m, int n)
{
    tiles<<<dim3((n + 255) / 256, (m + 127) / 128), 256>>>(c, a, b, m, n);
}
