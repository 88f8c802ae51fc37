// Numbers that reductions leave in elements of an array, by way of a function: no table of the host's.
#include <cuda_runtime.h>

__global__ void update(int n, const float *num, const float *den, const float *z, float *p)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    for (int j = 0; j < 8; ++j)
        if (i + j < n) p[i + j] = z[i + j] + *num / *den * p[i + j];  // expect: CU102; CU102; CU102  // undecided: CU501 (the rule's own) "another kernel may write it"; CU501 (the rule's own) "`den`"; CU706 (a small share)
}

__global__ void sum_of(int n, const float *a, float *out)
{
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += 32) sum += a[i];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x == 0) *out = sum;
}

void reduce(int n, const float *a, float *out) { sum_of<<<1, 32>>>(n, a, out); }  // expect: CU404

int main()
{
    const int n = 1 << 18;
    float *z, *p, *sums;
    cudaMalloc(&z, n * sizeof(float));
    cudaMalloc(&p, n * sizeof(float));
    cudaMalloc(&sums, 4 * sizeof(float));
    for (int turn = 0; turn < 9; turn++) {
        reduce(n, p, &sums[1]);
        reduce(n, z, &sums[2]);
        update<<<n / 8 / 128, 128>>>(n, &sums[1], &sums[2], z, p);
    }
}
