// Blocks whose size is a number in a variable, and grids that are computed of it.
#include <cuda_runtime.h>

const int BY_HAND = 32;
const int FIRST = 32;
const int OWN = 32;

__global__ void told_or_by_hand(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= data[i];
}

__global__ void named(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= data[i];
}

__global__ void plain(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= data[i];
}

__global__ void grid_of_its_own(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= data[i];
}

void by_hand(int *data, int n, bool automatic)
{
    int threads, blocks, least;
    if (automatic)
        cudaOccupancyMaxPotentialBlockSize(&least, &threads, told_or_by_hand, 0, n);
    else
        threads = BY_HAND;
    blocks = (n + threads - 1) / threads;
    told_or_by_hand<<<blocks, threads>>>(data, n);  // expect: CU405 "32 of 64 warps"
}

void other_grid(int *data, int n, int blocks, bool automatic)
{
    int threads, least;
    if (automatic)
        cudaOccupancyMaxPotentialBlockSize(&least, &threads, grid_of_its_own, 0, n);
    else
        threads = FIRST;
    grid_of_its_own<<<blocks, threads>>>(data, n);  // expect: CU405 "32 of 64 warps"
}

int main()
{
    int n = 1000003, *data;
    cudaMalloc(&data, n * sizeof(int));
    by_hand(data, n, true);
    by_hand(data, n, false);
    other_grid(data, n, 31251, true);
    other_grid(data, n, 31251, false);
    int threads = OWN, width = 32;  // also: CU405
    int blocks = (n + threads - 1) / threads;
    named<<<blocks, threads>>>(data, n);  // expect: CU405 "32 of 64 warps"
    int many = (n + width - 1) / width;
    plain<<<many, width>>>(data, n);  // expect: CU405 "32 of 64 warps"
}
