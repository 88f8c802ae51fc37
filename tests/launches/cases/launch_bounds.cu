// A block that nothing tells has no more threads than the kernel's launch bounds allow.
__global__ void __launch_bounds__(64) narrow(float *a, int n) { a[2 * threadIdx.x * n] += 1; }
void narrows(float *a, int n, int threads) {
    narrow<<<n, threads>>>(a, n);  // tried: narrow<<<1280, 64>>>(n=1280) | narrow<<<96, 64>>>(n=96)
}
__global__ void __launch_bounds__(512, 2) wide(float *a, int n) { a[2 * threadIdx.x * n] += 1; }
void wides(float *a, int n, int threads) {
    wide<<<n, threads>>>(a, n);  // tried: wide<<<1280, 256>>>(n=1280) | wide<<<96, 256>>>(n=96)
}
__global__ void __launch_bounds__(64) plane(float *a, int n) { a[threadIdx.x * n + threadIdx.y] += 1; }
void planes(float *a, int n, int x, int y) {
    plane<<<n, dim3(x, y)>>>(a, n);  // tried: plane<<<1280, (8, 8)>>>(n=1280) | plane<<<96, (8, 8)>>>(n=96)
}
__global__ void __launch_bounds__(128) shaped(float *a, int n) { a[threadIdx.x * n + threadIdx.y] += 1; }
void shapes(float *a, int n, dim3 block) {
    shaped<<<n, block>>>(a, n);  // tried: shaped<<<1280, (32, 4)>>>(n=1280) | shaped<<<96, (32, 4)>>>(n=96)
}
