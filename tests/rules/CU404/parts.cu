// Grids that grow with what the program is run with: which loops could be shared out instead.
#include <cstdlib>
#include <cuda_runtime.h>

// The place of the largest: turns hand on what was best so far.
__global__ void peaks(int *where, const float *a, int n)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    float best = -1e30f;
    int at = 0;
    for (int x = 0; x < n; x++)
        if (a[x * n + y] > best) {
            best = a[x * n + y];
            at = x;
        }
    where[y] = at;
}

// A running sum is written in each turn, and begins anew anywhere.
__global__ void prefix(float *c, const float *a, int n)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int x = 0; x < n; x++) {
        sum += a[x * n + y];
        c[x * n + y] = sum * 0.5f;
    }
}

// Each turn scales what the last one left.
__global__ void filter(float *c, const float *a, int n)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    float last = 0.0f;
    for (int x = 0; x < n; x++) {
        last = a[x * n + y] - 0.25f * last;
        c[x * n + y] = last;
    }
}

// Each turn looks up what the last one found.
__global__ void states(int *c, const int *a, const int *next, int n)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    int state = 0;
    for (int x = 0; x < n; x++)
        state = next[(state & 63) * 64 + (a[x * n + y] & 63)];
    c[y] = state;
}

// Where the sum stands decides what is added to it.
__global__ void follows(float *c, const float *a, int n)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    float level = 0.0f;
    for (int x = 0; x < n; x++)
        level += a[x * n + y] > level ? 0.125f : -0.125f;
    c[y] = level;
}

// Each turn reads what the one before stored.
__global__ void sweep(float *a, int n)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    for (int x = 1; x < n; x++)
        a[x * n + y] += 0.5f * a[(x - 1) * n + y];
}

// Elements in place, each for itself.
__global__ void scale(float *a, int n)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    for (int x = 0; x < n; x++)
        a[x * n + y] = 0.5f * a[x * n + y] + 1.0f;
}

// Sums of so few elements that nothing is gained by sharing one out.
__global__ void steps(float *c, const float *a, int n)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    float last = 0.0f;
    for (int x = 0; x < n; x += 8) {
        float sum = 0.0f;
        for (int k = 0; k < 8; k++)
            sum += a[(x + k) * n + y];
        last = sum - 0.25f * last;
    }
    c[y] = last;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 2048;
    float *a, *c;
    int *where, *data, *next;
    cudaMalloc(&a, n * n * sizeof(float));
    cudaMalloc(&c, n * n * sizeof(float));
    cudaMalloc(&data, n * n * sizeof(int));
    cudaMalloc(&next, 4096 * sizeof(int));
    cudaMalloc(&where, n * sizeof(int));
    for (int turn = 0; turn < 100; turn++) {
        peaks<<<n / 256, 256>>>(where, a, n);  // expect: CU404 "64 warps where"
        prefix<<<n / 256, 256>>>(c, a, n);  // expect: CU404 "64 warps where"
        filter<<<n / 256, 256>>>(c, a, n);  // undecided: CU404 (the rule's own) "another run"
        states<<<n / 256, 256>>>(where, data, next, n);  // undecided: CU404 (the rule's own) "another run"
        follows<<<n / 256, 256>>>(c, a, n);  // undecided: CU404 (the rule's own) "another run"
        sweep<<<n / 256, 256>>>(a, n);  // undecided: CU404 (the rule's own) "another run"
        scale<<<n / 256, 256>>>(a, n);  // expect: CU404 "64 warps where"
        steps<<<n / 256, 256>>>(c, a, n);  // undecided: CU404 (the rule's own) "another run"
    }
}
