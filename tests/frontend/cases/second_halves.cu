// What CUDA's header of a type includes at its end is included beside it.
// kernels: brain half_of
#include <cuda_bf16.h>
#include <cuda_bf16.hpp>
#include <cuda_fp16.hpp>

__global__ void half_of(__half *a) {
  a[threadIdx.x] = __hadd(a[threadIdx.x], __float2half(1.0f));
}

__global__ void brain(__nv_bfloat16 *a) { a[threadIdx.x] = __float2bfloat16(1.0f); }
