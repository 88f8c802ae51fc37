// All blocks of a cooperative launch are on the GPU at once; an A100 holds 221,184 threads.
#include <cooperative_groups.h>
__global__ void plain(float *a, int n) {
    cooperative_groups::this_grid().sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        a[2 * i] = 1;
    }
}
void together(float *a, int n, int blocks) {
    void *arguments[] = {&a, &n};
    cudaLaunchCooperativeKernel((void *)plain, blocks, 512, arguments, 0, 0); // tried: plain<<<320, 512>>>(n=1152) | plain<<<96, 512>>>(n=160)
}
