// A grid that grows with what the program is run with: another run may have threads enough.
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void rows(float *c, const float *a, int n)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int x = 0; x < n; x++)
        sum += a[x * n + y];  // also: CU404
    c[y] = sum;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 2048;
    float *a, *c;
    cudaMalloc(&a, n * n * sizeof(float));
    cudaMalloc(&c, n * sizeof(float));
    rows<<<n / 256, 256>>>(c, a, n);  // undecided: CU404 (the rule's own) "another run"
    rows<<<4, 256>>>(c, a, 8192);
}
