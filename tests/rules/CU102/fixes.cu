// The pointers are what cudaMalloc returned: their alignment is known, and the fix is an edit.
#include <cuda_runtime.h>

__global__ void swapped(float *output, const float *input)
{
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    float a = input[gid * 2 + 0];  // expect: CU102 "`float2` load"
    float b = input[2 * gid + 1];
    output[2 * gid] = b;  // expect: CU102 "`float2` store"
    output[2 * gid + 1] = a;
}

__global__ void odd_index(int *output, const int *input, int n)
{
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int i = gid; i < n; i += gridDim.x * blockDim.x) {
        const int *at = input + 2 * i;
        sum += at[0] - at[1];  // expect: CU102 "`int2` load"
    }
    output[gid] = sum;
}

int main()
{
    float *a, *b;
    cudaMalloc(&a, 32768 * sizeof(float));
    cudaMalloc(&b, 32768 * sizeof(float));
    swapped<<<64, 256>>>(a, b);
    int *c, *d;
    cudaMalloc(&c, 16384 * sizeof(int));
    cudaMalloc(&d, 65536 * sizeof(int));
    odd_index<<<16, 256>>>(c, d, 32768);
}
