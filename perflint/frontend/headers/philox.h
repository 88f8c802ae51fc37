// at::cuda::philox::unpack, which answers a std::tuple (ATen/cuda/PhiloxUtils.cuh): libcu++'s takes a
// second to compile, so it is apart from torch.h.
#pragma once
#include <cuda/std/tuple>
#include "perflint/std.h"
#include "perflint/torch.h"
namespace at {
namespace cuda {
namespace philox {
__device__ inline std::tuple<uint64_t, uint64_t> unpack(PhiloxCudaState arg) {
  if (!arg.captured_) return std::make_tuple(arg.seed_.val, arg.offset_.val);
  return std::make_tuple((uint64_t)*arg.seed_.ptr,
                         (uint64_t)(*arg.offset_.ptr + (int64_t)arg.offset_intragraph_));
}
}  // namespace philox
}  // namespace cuda
}  // namespace at
