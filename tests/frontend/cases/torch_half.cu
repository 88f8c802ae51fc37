// kernels: halved summed<at::Half>
#include <cuda_fp16.h>
#include <torch/extension.h>
#include <ATen/cuda/PhiloxUtils.cuh>
__global__ void halved(c10::complex<at::Half> *x, __half *re, at::PhiloxCudaState state) {
  auto seeds = at::cuda::philox::unpack(state);
  __half h;
  h = x[threadIdx.x].real_;  // ambiguous with half's implicit conversions
  re[threadIdx.x] = h;
  if (std::get<0>(seeds) & 1) x[threadIdx.x].imag_ *= at::Half(2);
}
template <typename T>
__global__ void summed(T *x) {
  at::opmath_type<T> a = x[threadIdx.x];
  a = fmaxf(a, WARP_SHFL_XOR(a, 1));
  if (x[threadIdx.x] > T(0) && x[threadIdx.x] < std::numeric_limits<T>::max())
    gpuAtomicAdd(x, static_cast<T>(a));
}
void run(at::Half *x) { summed<<<1, 32>>>(x); }
