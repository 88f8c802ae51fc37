// A launch in a lambda that is a template: of `T` nothing is known, but of `twice<T>` that it is of
// the same type.
// kernels: each<float, twice<float>>? alone<float>?
// remark: no launch gives all template arguments
template <class T> __device__ T twice(const T &x) { return x + x; }
template <class T, T (*F)(const T &)> __global__ void each(T *p) { p[threadIdx.x] = F(p[0]); }
template <class T> __global__ void alone(T *p) { p[threadIdx.x] = 1; }
template <class F> void dispatched(int kind, F f) {
    if (kind == 0) f.template operator()<float>();
    else f.template operator()<double>();
}
#define OF_TYPES(KIND, ...) dispatched(KIND, [&]<typename scalar_t>() { __VA_ARGS__(); })
void run(int kind, void *p) {
    OF_TYPES(kind, [&] {
        each<scalar_t, twice<scalar_t>><<<1, 64>>>(static_cast<scalar_t *>(p));
        alone<scalar_t><<<1, 64>>>(static_cast<scalar_t *>(p));
    });
}
