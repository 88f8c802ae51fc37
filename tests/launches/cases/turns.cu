// What a loop around a launch changes with its counter; and a branch on what the GPU answers.
__global__ void plain(float *a, int n) { a[2 * threadIdx.x * n] = 1; }
void turns(float *a, int most, int count, int width) {
    for (; most > 10; most -= 2, width >>= 2, count <<= 2) {
        plain<<<8, 64>>>(a, width / 4); // tried: plain<<<8, 64>>>(n=1024) ; plain<<<8, 64>>>(n=256) ; plain<<<8, 64>>>(n=64)
    }
    plain<<<count, width / 4>>>(a, most); // tried: plain<<<64, 16>>>(n=10)
}
void start(float *a) { turns(a, 16, 1, 4096); }
void filled(float *a) {
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    int blocks = 1000;
    if (blocks > 4 * prop.multiProcessorCount) blocks = 10;
    plain<<<blocks, 64>>>(a, 5); // tried: plain<<<10, 64>>>(n=5)
}
