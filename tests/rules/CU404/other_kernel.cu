// What the program is run with picks another kernel: of this one nobody knows for how large an input.
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void naive(float *c, const float *a, int n)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int x = 0; x < n; x++)
        sum += a[x * n + y];  // also: CU404
    c[y] = sum;
}

__global__ void picked(float *c, const float *a, int n)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int x = 0; x < n; x++)
        sum += a[x * n + y] * 0.5f;  // also: CU404
    c[y] = sum;
}

int main()
{
    int which = 2, n = 2048;
    float *a, *c;
    cudaMalloc(&a, n * n * sizeof(float));
    cudaMalloc(&c, n * sizeof(float));
    for (int turn = 0; turn < 10; turn++) {
        if (which == 1)
            naive<<<n / 256, 256>>>(c, a, n);  // undecided: CU404 (the rule's own) "it may be made with others"
        else
            picked<<<n / 256, 256>>>(c, a, n);  // expect: CU404
    }
}
