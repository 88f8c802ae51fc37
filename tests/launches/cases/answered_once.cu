// A condition that a GPU answers is supposed once, by what it answers.
__global__ void answered_once(float *a, int n) { if (threadIdx.x < n) a[threadIdx.x] += 1.0f; }
void answer_once(float *a, int n) {
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    unsigned int width = (prop.sharedMemPerBlock - 12) / 4;
    if (width > prop.maxThreadsPerBlock) width = prop.maxThreadsPerBlock;
    answered_once<<<32, width, width * 4>>>(a, n);  // tried: answered_once<<<32, 1024, 4096>>>(n=1280) | answered_once<<<32, 1024, 4096>>>(n=96)
}
