// What lanes that share a run do with it: only sums are combined.
#include <cuda_runtime.h>

__global__ void sums(int count, const int *start, const float *value, float *y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= count) return;
    float sum = 0;
    for (int j = start[r]; j < start[r + 1]; j++)
        sum += value[j];  // expect: CU101 "combine what they have by shuffles"
    y[r] = sum;
}

// The least of a vertex' neighbours, by a branch.
__global__ void least(int count, const int *start, const int *edge, int *y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= count) return;
    int best = r;
    for (int j = start[r]; j < start[r + 1]; j++) {
        int to = edge[j];  // expect: CU101 "combine what they have by shuffles"
        if (to < best)
            best = to;
    }
    y[r] = best;
}

// Nothing is left to combine: each edge is relaxed by itself.
__global__ void relaxed(int count, const int *start, const int *edge, const int *cost, int *distance)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= count) return;
    int own = distance[r], end = start[r + 1];
    for (int j = start[r]; j < end; j++)
        atomicMin(&distance[edge[j]], own + cost[j]);  // expect: CU101 "an element to each lane"  // undecided: CU101 (loaded address)
}

__global__ void copied(int count, const int *start, const float *value, float *y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= count) return;
    int end = start[r + 1];
    for (int j = start[r]; j < end; j++)
        y[j] = 2.0f * value[j];  // expect: CU101 "an element to each lane"
}

// So is each of a row's that goes to shared memory.
__global__ void kept(const int *pick, const float *value, float *y)
{
    __shared__ float tile[64 * 32];
    int lane = threadIdx.x, row = pick[blockIdx.x * 64 + lane];
#pragma unroll 1
    for (int k = 0; k < 32; k++)
        tile[k * 64 + lane] = value[32 * row + k];  // expect: CU101 "an element to each lane"
    __syncthreads();
    y[blockIdx.x * 64 + lane] = tile[lane ^ 1] + tile[2047 - lane];
}

int main()
{
    int rows = 20000, *start, *edge, *cost, *distance;
    float *value, *y;
    cudaMalloc(&start, (rows + 1) * sizeof(int));
    cudaMalloc(&edge, rows * 48 * sizeof(int));
    cudaMalloc(&cost, rows * 48 * sizeof(int));
    cudaMalloc(&distance, rows * sizeof(int));
    cudaMalloc(&value, rows * 48 * sizeof(float));
    cudaMalloc(&y, rows * 48 * sizeof(float));
    sums<<<(rows + 255) / 256, 256>>>(rows, start, value, y);
    least<<<(rows + 255) / 256, 256>>>(rows, start, edge, distance);
    relaxed<<<(rows + 255) / 256, 256>>>(rows, start, edge, cost, distance);
    copied<<<(rows + 255) / 256, 256>>>(rows, start, value, y);
    kept<<<rows / 64, 64>>>(start, value, y);
}
