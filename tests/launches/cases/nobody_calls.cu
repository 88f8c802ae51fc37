// Function templates that nothing in sight calls: their types and numbers are assumed, of the
// kernel and of what the host computes alike.
template <typename T, typename Index>
__global__ void sums(T *out, const T *in, Index n, Index parts) {
    extern __shared__ float shared[];
    if (threadIdx.x < n) out[blockIdx.x] = in[threadIdx.x * parts] + shared[threadIdx.x];
}
template <typename T, typename Index>
void run(T *out, const T *in, Index n) {
    const Index parts = n / 64;
    sums<T, Index><<<parts, 128, 128 * sizeof(T)>>>(out, in, n, parts);  // tried: sums<float, int><<<1280, 128, 512>>>(n=81920, parts=1280) | sums<float, int><<<96, 128, 512>>>(n=6144, parts=96)
}
template <int Threads>
__global__ void __launch_bounds__(Threads) fixed(float *a, int n) { a[threadIdx.x * n] = Threads; }
template <int Threads>
void bound(float *a, int n) {
    fixed<Threads><<<n / Threads, Threads>>>(a, n);  // tried: fixed<16><<<80, 16>>>(n=1280) | fixed<16><<<6, 16>>>(n=96)
}
template <typename T, int Wide>
__global__ void scaled(T *a, int n) { a[threadIdx.x * n] *= Wide; }
void by_type(void *a, int n, int kind) {
    auto invoke = [&](auto t) {
        using T = decltype(t);
        constexpr int wide = 8;
        scaled<T, wide><<<n / 64, 64>>>((T *)a, n);  // tried: scaled<float, 8><<<20, 64>>>(n=1280) | scaled<float, 8><<<1, 64>>>(n=96)
    };
    DISPATCH_BY_KIND(kind, invoke);
}
