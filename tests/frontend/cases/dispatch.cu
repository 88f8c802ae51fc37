// kernels: scaled<int, float, float> narrow<at::Half> laddered<32, false> laddered<32, true> laddered<64, false> laddered<64, true> vectorised<float, 4> chosen<Wide<float>, true> chosen<Wide<float>, false> filtered<float, 1, 2> filtered<float, 2, 1>
#include <ATen/AccumulateType.h>
#include <torch/extension.h>
#define DISPATCH(TYPE, LEVEL, ...)       \
  switch (TYPE) {                        \
    case at::ScalarType::Double: {       \
      using scalar_t_##LEVEL = double;   \
      __VA_ARGS__;                       \
      break;                             \
    }                                    \
    case at::ScalarType::Float: {        \
      using scalar_t_##LEVEL = float;    \
      __VA_ARGS__;                       \
      break;                             \
    }                                    \
  }
#define BOOL_SWITCH(COND, NAME, ...)     \
  [&] {                                  \
    if (COND) {                          \
      constexpr static bool NAME = true; \
      return __VA_ARGS__();              \
    } else {                             \
      constexpr static bool NAME = false; \
      return __VA_ARGS__();              \
    }                                    \
  }()
template <typename I, typename T, typename A>
__global__ void scaled(T *x, A a, I n) {
  if (threadIdx.x < n) x[threadIdx.x] = a * (A)x[threadIdx.x];
}
template <typename T>
__global__ void narrow(T *x) {
  static_assert(sizeof(T) == 2, "for half only");
  gpuAtomicAdd(x, x[threadIdx.x]);
}
template <int width, bool causal>
__global__ void laddered(float *x) {
  if (causal) x[threadIdx.x] *= width;
}
template <typename T, int VEC>
__global__ void vectorised(T *x) {
  for (int i = 0; i < VEC; i++) x[threadIdx.x * VEC + i] += 1;
}
template <typename T>
struct Wide {
  using type = T;
};
template <typename Traits, bool first>
__global__ void chosen(typename Traits::type *x) {
  x[threadIdx.x] = first;
}
template <typename T>
void launch_vectorised(T *x) {
  constexpr int VEC = sizeof(float4) / sizeof(T);
  vectorised<T, VEC><<<1, 32>>>(x);
}
template <typename T>
void launch_chosen(T *x, bool first) {
  using Wide = Wide<T>;
  auto kernel = first ? &chosen<Wide, true> : &chosen<Wide, false>;
  kernel<<<1, 32>>>(x);
}
template void launch_chosen<float>(float *, bool);
template void launch_chosen<double>(double *, bool);
void forward(at::Tensor x, int width, bool causal) {
  const int n = x.numel();
  DISPATCH(x.scalar_type(), 0, using acc_t = at::acc_type<scalar_t_0, true>;
           scaled<int, scalar_t_0, acc_t><<<1, 32>>>(x.data_ptr<scalar_t_0>(), acc_t(2), n);
           scaled<int><<<1, 32>>>(x.data_ptr<scalar_t_0>(), scalar_t_0(2), n);
           launch_vectorised(x.data_ptr<scalar_t_0>());)
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "narrow", [&] {
    narrow<scalar_t><<<1, 32>>>(x.data_ptr<scalar_t>());
  });
  BOOL_SWITCH(causal, kCausal, [&] {
    switch (width) {
      case 32: laddered<32, kCausal><<<1, 32>>>(x.data_ptr<float>()); break;
      case 64: laddered<64, kCausal><<<1, 32>>>(x.data_ptr<float>()); break;
    }
  });
}
template <typename T, int up, int down>
__global__ void filtered(T *x) {
  x[threadIdx.x * up] = x[threadIdx.x * down];
}
template <class T>
void *choose(int up) {
#define CASE(U, D) \
  if (up == U) return (void *)filtered<T, U, D>;
  CASE(1, 2)
  CASE(2, 1)
#undef CASE
  return nullptr;
}
template void *choose<double>(int);
template void *choose<float>(int);
