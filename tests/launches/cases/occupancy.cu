// What the runtime's occupancy calculator suggests: an A100's answers, said to be assumed.
__global__ void plain(float *a, int n) { a[2 * threadIdx.x * n] = 1; }
__global__ void __launch_bounds__(256) bounded(float *a, int n) { a[2 * threadIdx.x * n] = 1; }
__global__ void grouped(float *a, int n) { a[2 * threadIdx.x * n] = 1; }
void suggested(float *a) {
    int least, block, grid;
    cudaOccupancyMaxPotentialBlockSize(&least, &block, plain, 0, 0);
    grid = (100000 + block - 1) / block;
    plain<<<grid, block>>>(a, 5); // tried: plain<<<98, 1024>>>(n=5)
    cudaOccupancyMaxPotentialBlockSize(&least, &block, (void *)bounded, 0, 0);
    bounded<<<least, block>>>(a, 5); // tried: bounded<<<864, 256>>>(n=5)
    cudaOccupancyMaxPotentialBlockSize(&least, &block, plain, 0, 128);
    plain<<<least, block>>>(a, 5); // tried: plain<<<1728, 128>>>(n=5)
}
void either(float *a, bool ask) {
    int least, block;
    if (ask) {
        cudaOccupancyMaxPotentialBlockSize(&least, &block, plain);
    } else {
        block = 64;
    }
    plain<<<6400 / block, block>>>(a, 5); // tried: plain<<<100, 64>>>(n=5) ; plain<<<6, 1024>>>(n=5)
}
void both(float *a) {
    either(a, false);
    either(a, true);
}
void resident(float *a) {
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    int blocks = 0, n = 5;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, grouped, 512, 0);
    dim3 grid(prop.multiProcessorCount * blocks, 1, 1), block(512);
    void *args[] = {&a, &n};
    cudaLaunchCooperativeKernel((void *)grouped, grid, block, args, 0, 0); // tried: grouped<<<432, 512>>>(n=5)
}
void rows(float *a) {
    float *p;
    size_t pitch;
    cudaMallocPitch(&p, &pitch, 1000 * sizeof(float), 10);
    plain<<<10, 64>>>(p, pitch / sizeof(float)); // tried: plain<<<10, 64>>>(n=1024)
}
void capped(float *a, int n) {
    dim3 grid(1);
    for (grid.x = 1; grid.x < 100; grid.x *= 2)
        ;
    plain<<<grid, 64>>>(a, 5); // tried: plain<<<128, 64>>>(n=5)
}
