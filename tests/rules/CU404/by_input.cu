// A grid that grows with what the program is run with.
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void rows(float *c, const float *a, int n)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int x = 0; x < n; x++)
        sum += a[x * n + y];
    c[y] = sum;
}

// A sweep a thread: the grid grows with the side of the matrix, and so does each sweep.
__global__ void sweeps(float *a, int n)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    float last = 0.0f;
    for (int x = 0; x < n; x++)
        a[x * n + y] = last = 0.5f * last + a[x * n + y];
}

// Set-up, once.
__global__ void fill_rows(float *a, int n)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    for (int x = 0; x < n; x++)
        a[x * n + y] = x ^ y;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 2048;
    float *a, *c;
    cudaMalloc(&a, n * n * sizeof(float));
    cudaMalloc(&c, n * sizeof(float));
    rows<<<n / 256, 256>>>(c, a, n);  // expect: CU404 "64 warps where"
    rows<<<4, 256>>>(c, a, 8192);
    int side = argc > 2 ? atoi(argv[2]) : 1024;
    fill_rows<<<side / 256, 256>>>(a, side);  // undecided: CU404 (hardly launched)
    for (int turn = 0; turn < 100; turn++)
        sweeps<<<side / 256, 256>>>(a, side);  // expect: CU404 "32 warps where"
}
