// CUB's function objects. Those that CCCL 3 has no more are what its manual names in their place.
#pragma once
#include <cub/thread/thread_operators.cuh>
#include <cub/util_type.cuh>
#if CCCL_MAJOR_VERSION >= 3
#include <cuda/functional>
#include <cuda/std/functional>
namespace cub {
typedef ::cuda::std::plus<> Sum;
typedef ::cuda::std::minus<> Difference;
typedef ::cuda::std::divides<> Division;
typedef ::cuda::maximum<> Max;
typedef ::cuda::minimum<> Min;
typedef ::cuda::std::equal_to<> Equality;
typedef ::cuda::std::not_equal_to<> Inequality;
}  // namespace cub
#endif
