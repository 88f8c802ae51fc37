// A template that has a body for some types only: an instance that is assumed for want of a launch
// asks for another one, and is given up, not the template.
// kernels: launched<at::Half> launched<at::BFloat16>
// lost: never "no launch gives its template arguments"
#include <torch/extension.h>
namespace {
template <typename T> __device__ T widened(const T *from);
template <> __device__ at::Half widened<at::Half>(const at::Half *from) { return from[1]; }
template <> __device__ at::BFloat16 widened<at::BFloat16>(const at::BFloat16 *from) { return from[2]; }
}
#if CUDA_VERSION >= 9000
#define EXCHANGED(x) __shfl_xor_sync(0xffffffff, x, 1)
#else
#define EXCHANGED(x) __shfl_xor(x, 1)
#endif
template <typename T> __global__ void launched(T *a, float by) {
    a[threadIdx.x] = T(EXCHANGED(float(widened<T>(a + threadIdx.x))) * by);
}
template <typename T> __global__ void never(T *a) { a[threadIdx.x] = widened<T>(a); }
template <typename T, typename S> void run(T *a, S by) { launched<T><<<1, 64>>>(a, by); }
#define OF_TYPES(KIND, NAME, ...)                             \
    switch (KIND) {                                           \
        case at::ScalarType::Half: {                          \
            using scalar_t = at::Half;                        \
            __VA_ARGS__;                                      \
            break;                                            \
        }                                                     \
        case at::ScalarType::BFloat16: {                      \
            using scalar_t = at::BFloat16;                    \
            __VA_ARGS__;                                      \
            break;                                            \
        }                                                     \
    }
void start(torch::Tensor a, float by) {
    OF_TYPES(a.scalar_type(), "start", run<scalar_t, float>(a.data_ptr<scalar_t>(), by););
}
