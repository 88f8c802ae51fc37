// Sparse rows: each row of a matrix begins where `row` says.
#include <cuda_runtime.h>

#define ROWS 16384
#define BLOCK 128

// A thread walks its row: rows lie behind one another, so that neighbours are a row apart.
__global__ void row_for_a_thread(float *y, const float *val, const int *row)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = row[i]; j < row[i + 1]; j++)
        sum += val[j]; // expect: CU101 "sectors"
    y[i] = sum;
}

// A warp walks a row together.
__global__ void row_for_a_warp(float *y, const float *val, const int *row)
{
    int lane = threadIdx.x % 32;
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    float sum = 0;
    for (int j = row[i] + lane; j < row[i + 1]; j += 32)
        sum += val[j];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0)  // refuted: CU901 (nothing wasted)
        y[i] = sum;
}

// Only lanes whose flag is set take part, of an access that is packed for all of them.
__global__ void masked(float *y, const float *x, const int *mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (mask[i])
        y[i] = x[i];
    else
        y[i] = -1;
}

// What happens where the flag is not set is seen, too.
__global__ void masked_rows(float *y, const float *x, const unsigned char *done)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (!done[i])  // refuted: CU103 (nothing to report)
        y[i] = x[i * 64]; // expect: CU101 "whenever it is reached"
}

int main()
{
    float *y, *val, *x;
    int *row, *mask;
    unsigned char *done;
    cudaMalloc(&y, ROWS * sizeof(float));
    cudaMalloc(&val, 12 * ROWS * sizeof(float));
    cudaMalloc(&row, (ROWS + 1) * sizeof(int));
    cudaMalloc(&mask, ROWS * sizeof(int));
    cudaMalloc(&done, ROWS);
    cudaMalloc(&x, 64 * ROWS * sizeof(float));
    row_for_a_thread<<<ROWS / BLOCK, BLOCK>>>(y, val, row);
    row_for_a_warp<<<32 * ROWS / BLOCK, BLOCK>>>(y, val, row);
    masked<<<ROWS / BLOCK, BLOCK>>>(y, x, mask);
    masked_rows<<<ROWS / BLOCK, BLOCK>>>(y, x, done);
}
