// One call is enough for: allocators of other types.
// kernels: k
// calls: 1
#include <memory>
template <class T> struct pool { using value_type = T; pool() = default; };
template <class T> struct heap {
  using value_type = T;
  template <class U> struct rebind { typedef heap<U> other; };
};
template <class A> struct Table {
  using of_flags = typename std::allocator_traits<A>::rebind_alloc<bool>;
  using of_sizes = typename std::allocator_traits<A>::template rebind_alloc<long>;
  using size_type = typename std::allocator_traits<A>::size_type;
  of_flags flags;
  of_sizes sizes;
  std::shared_ptr<bool> built;
  float *p;
  __device__ float at(size_type i) const { return p[i]; }
};
__global__ void k(Table<pool<float>> a, Table<heap<int>> b, float *p) {
  typename Table<pool<float>>::of_flags::value_type is = true;
  typename Table<heap<int>>::of_sizes::value_type at = 1;
  p[threadIdx.x] = is ? a.at(at) : b.at(threadIdx.x);
}
