// kernels: normed<Traits<float, 768>> normed<Traits<at::Half, 1024>> every<Tensors<2>, Scaled<float>, float, int> epilogued<4, float, Doubled>
#include <torch/all.h>
template <typename T, int SIZE>
struct Traits {
  using type = T;
  enum { size = SIZE };
};
template <typename Kernel_traits>
__global__ void normed(typename Kernel_traits::type *x) {
  x[threadIdx.x] = x[threadIdx.x + Kernel_traits::size];
}
template <typename T, int SIZE>
void launch_(T *x) {
  using Traits = Traits<T, SIZE>;
  auto kernel = &normed<Traits>;
  kernel<<<1, 32>>>(x);
}
#define REGISTER(SIZE, NAME, TYPE) \
  void norm_##SIZE##_##NAME(TYPE *x) { launch_<TYPE, SIZE>(x); }
REGISTER(768, fp32, float)
REGISTER(1024, fp16, at::Half)

template <int n>
struct Tensors {
  float *addresses[n];
};
template <typename T>
struct Scaled {
  __device__ void operator()(T *x, T by, int mode) const { x[threadIdx.x] *= mode ? by : T(1); }
};
template <typename T, typename F, typename... Rest>
__global__ void every(T tensors, F call, Rest... rest) {
  for (float *x : tensors.addresses) call(x, rest...);
}
template <int depth, typename F, typename... Rest>
void apply(F call, Rest... rest) {
  Tensors<depth> tensors;
  every<<<1, 32>>>(tensors, call, rest...);
}
void scale(float by) { apply<2>(Scaled<float>(), by, (int)1); }

template <typename T>
struct Doubled {
  __device__ T operator()(T x) const { return x + x; }
};
template <int ILP, typename T, template <typename> class Epilogue>
#if __CUDA_ARCH__ >= 700
__launch_bounds__(32)
#endif
    __global__ void epilogued(T *x) {
  x[threadIdx.x] = Epilogue<T>()(x[threadIdx.x]) * ILP;
}
template <template <typename> class Epilogue>
void host(float *x) {
  const int ILP = sizeof(float4) / sizeof(float);
  epilogued<ILP, float, Epilogue><<<1, 32>>>(x);
}
void run(float *x) { host<Doubled>(x); }
