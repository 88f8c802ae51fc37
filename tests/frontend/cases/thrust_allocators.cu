// kernels: k
// What allocators for Thrust's containers are made of, and what its iterators are.
#include <thrust/device_malloc_allocator.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/iterator_facade.h>
template <class T>
class pool : public thrust::device_malloc_allocator<T> {
  using Super = thrust::device_malloc_allocator<T>;

 public:
  using pointer = typename Super::pointer;
};
template <class T>
using vec = thrust::device_vector<T, pool<T>>;
class counter : public thrust::iterator_facade<counter, int, thrust::device_system_tag,
                                               thrust::random_access_traversal_tag, int> {
  int n;

 public:
  __device__ counter(int n) : n(n) {}
  __device__ int dereference() const { return n; }
  __device__ void increment() { n++; }
  __device__ void advance(int k) { n += k; }
};
struct view {
  vec<float> *all;
  thrust::cuda::pointer<float> first;
};
__global__ void k(view v) {
  counter c(threadIdx.x);
  c += 4;
  v.first[*c] = 1;
}
