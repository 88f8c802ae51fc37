// What sets up matrices that a library multiplies is launched once, and the time is the library's.
#include <cublas_v2.h>

__global__ void init(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        a[i * n + k] = k;  // undecided: CU101 (hardly launched) "launched once"
}

int main()
{
    float *a, *b, *c, one = 1.0f, zero = 0.0f;
    cublasHandle_t handle;
    cublasCreate(&handle);
    cudaMalloc(&a, 16384 * 1024 * sizeof(float));
    cudaMalloc(&b, 4096 * 4096 * sizeof(float));
    cudaMalloc(&c, 4096 * 4096 * sizeof(float));
    init<<<64, 256>>>(a, 1024);
    for (int turn = 0; turn < 100; turn++)
        cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4096, 4096, 4096, &one, a, 4096, b, 4096, &zero, c, 4096);
}
