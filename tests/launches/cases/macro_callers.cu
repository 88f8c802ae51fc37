// Host functions that macros call are called with what these give.
__global__ void k(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += 1;
}
void run(float *a, int n, int threads = 128) {
    k<<<n / threads, threads>>>(a, n); // tried: k<<<8, 128>>>(n=1024)
}
#define RUN(count) run(a, count)
// Which is not its default where the call is not read.
void rest(float *a, int n = 320) {
    k<<<n / 32, 32>>>(a, n); // tried: k<<<40, 32>>>(n=1280) | k<<<3, 32>>>(n=96)
}
#define REST rest
// A default that nothing replaces stays.
void all(float *a, int n = 640) {
    k<<<n / 64, 64>>>(a, n); // tried: k<<<10, 64>>>(n=640)
}
void host(float *a) {
    int length = 1024;
    RUN(length);
    REST(a, 96);
    all(a);
}
