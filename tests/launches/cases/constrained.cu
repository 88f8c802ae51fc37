// A template's parameter that a concept constrains is a type: the library's, and one of a function's.
template <typename T> concept Number = sizeof(T) <= 8;
template <std::floating_point T> __global__ void sum(T *out, const T *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[2 * i] = in[i];
}
template <std::floating_point T> void run(T *out, const T *in, int n) {
    const auto bytes = 64 * 4 * sizeof(T);
    sum<T><<<n / 64, 64, bytes>>>(out, in, n); // tried: sum<float><<<20, 64, 1024>>>(n=1280) | sum<float><<<1, 64, 1024>>>(n=96)
}
template void run<float>(float *, const float *, int);
template <Number T> void other(T *out, const T *in, int n) {
    sum<T><<<n / 32, 32, 32 * sizeof(T)>>>(out, in, n); // tried: sum<double><<<40, 32, 256>>>(n=1280) | sum<double><<<3, 32, 256>>>(n=96)
}
template void other<double>(double *, const double *, int);
enum Kind { Small = 2, Large = 4 };
template <Kind K> __global__ void shift(float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[K * i] = 1;
}
void shifted(float *out, int n) {
    shift<Large><<<n / 64, 64 * Large / 2>>>(out, n); // tried: shift<(Kind)4><<<20, 128>>>(n=1280) | shift<(Kind)4><<<1, 128>>>(n=96)
}
