// A nested class that is defined outside of its own, and what a kernel's attributes are asked for.
__global__ void plain(float *a, int n, int by) { a[2 * threadIdx.x * n] += by; }
struct Kernel {
    struct Policy;
    void run(float *a, int n);
};
struct Kernel::Policy {
    static const int threads = 192;
    static const int items = 4;
};
void Kernel::run(float *a, int n) {
    plain<<<n / (Policy::threads * Policy::items), Policy::threads>>>(a, n, Policy::items);  // tried: plain<<<100, 192>>>(n=76800, by=4)
}
void attributes(float *a, int n) {
    cudaFuncAttributes of;
    cudaFuncGetAttributes(&of, plain);
    const int threads = of.maxThreadsPerBlock;
    plain<<<(n + threads - 1) / threads, threads>>>(a, n, 1);  // tried: plain<<<10, 1024>>>(n=10240, by=1)
}
int main() {
    float *a;
    cudaMalloc(&a, 1 << 20);
    Kernel().run(a, 76800);
    attributes(a, 10240);
}
