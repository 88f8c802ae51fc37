// The part of cooperative groups that most kernels use, doing what CUDA's own header does with
// it, which takes a second to compile. Where a kernel needs more, the real one is taken instead.
#pragma once
namespace cooperative_groups {
namespace perflint {
__device__ inline unsigned lane() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
__device__ inline unsigned rank() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
}  // namespace perflint

struct thread_block {
  __device__ static void sync() { __syncthreads(); }
  __device__ static unsigned thread_rank() { return perflint::rank(); }
  __device__ static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  __device__ static unsigned num_threads() { return size(); }
  __device__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __device__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  __device__ static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  __device__ static dim3 dim_threads() { return group_dim(); }
};
__device__ inline thread_block this_thread_block() { return thread_block(); }

template <unsigned N, class Parent = void>
struct thread_block_tile {
  static_assert(N <= 32 && (N & (N - 1)) == 0, "perflint: larger tiles need CUDA's own header");
  __device__ thread_block_tile() {}
  template <class Other>
  __device__ thread_block_tile(const thread_block_tile<N, Other> &) {}
  __device__ static unsigned mask() {
    return N == 32 ? 0xffffffffu : ((1u << (N & 31)) - 1) << (perflint::lane() & ~(N - 1));
  }
  __device__ static void sync() { __syncwarp(mask()); }
  __device__ static unsigned thread_rank() { return perflint::rank() & (N - 1); }
  __device__ static constexpr unsigned size() { return N; }
  __device__ static constexpr unsigned num_threads() { return N; }
  __device__ static unsigned meta_group_rank() { return perflint::rank() / N; }
  __device__ static unsigned meta_group_size() {
    return (thread_block::size() + N - 1) / N;
  }
  template <class T>
  __device__ T shfl(T v, int source) const {
    return __shfl_sync(mask(), v, source, N);
  }
  template <class T>
  __device__ T shfl_down(T v, unsigned delta) const {
    return __shfl_down_sync(mask(), v, delta, N);
  }
  template <class T>
  __device__ T shfl_up(T v, int delta) const {
    return __shfl_up_sync(mask(), v, delta, N);
  }
  template <class T>
  __device__ T shfl_xor(T v, unsigned lanes) const {
    return __shfl_xor_sync(mask(), v, lanes, N);
  }
  __device__ int any(int p) const { return __any_sync(mask(), p) != 0; }
  __device__ int all(int p) const { return __all_sync(mask(), p) != 0; }
  __device__ unsigned ballot(int p) const {
    return __ballot_sync(mask(), p) >> (perflint::lane() & ~(N - 1));
  }
};
template <unsigned N, class Parent>
__device__ thread_block_tile<N, Parent> tiled_partition(const Parent &) {
  return thread_block_tile<N, Parent>();
}

template <class Group>
__device__ auto sync(const Group &group) -> decltype(group.sync()) {
  group.sync();
}

template <class T>
struct plus {
  __device__ T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
// CUDA's reduce uses `redux` for integers from sm_80 on: then this one must not stand in for it.
template <class T>
struct perflint_shuffled {
  static constexpr bool value = false;
};
template <>
struct perflint_shuffled<float> {
  static constexpr bool value = true;
};
template <>
struct perflint_shuffled<double> {
  static constexpr bool value = true;
};
template <unsigned N, class Parent, class T, class Operation>
__device__ T reduce(const thread_block_tile<N, Parent> &group, T v, Operation operation) {
  static_assert(perflint_shuffled<T>::value, "perflint: this needs CUDA's own header");
#pragma unroll
  for (unsigned lanes = N / 2; lanes > 0; lanes >>= 1) v = operation(v, group.shfl_xor(v, lanes));
  return v;
}
}  // namespace cooperative_groups
