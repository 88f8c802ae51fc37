// Calls of CUDA's libraries succeed: what host code does where they fail is not done.
#include <cstdio>
#include <cstdlib>
__global__ void plain(float *a, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[2 * i] += 1;
}
cudaError_t cudaMine(float *a);
void room() {
    unsigned size = 1 << 20;
    float *a;
    cudaMalloc(&a, size);
    while (cudaGetLastError() != cudaSuccess && size != 0) {
        size >>= 1;
        cudaMalloc(&a, size);
    }
    plain<<<512, 64>>>(a, size / sizeof(float)); // tried: plain<<<512, 64>>>(n=262144)
    int blocks = 16;
    cudaError_t status;
    if ((status = cudaMemset(a, 0, size)) != cudaSuccess) {
        printf("%s", cudaGetErrorString(status));
        blocks = 1;
    }
    plain<<<blocks, 64>>>(a, 1024); // tried: plain<<<16, 64>>>(n=1024)
}
