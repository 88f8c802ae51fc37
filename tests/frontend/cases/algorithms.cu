// Algorithms of C++'s library in device code, which nvcc takes with --expt-relaxed-constexpr, and
// Thrust's as one thread runs them, beside its iterators.
// kernels: filled folded found picked pointed searched smallest sorted<int>
#include <algorithm>
#include <numeric>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/find.h>
#include <thrust/iterator/counting_iterator.h>

__global__ void searched(const int *a, int n, int *out) {
  out[threadIdx.x] = std::lower_bound(a, a + n, (int)threadIdx.x) - std::upper_bound(a, a + n, 3);
}
template <typename T>
__global__ void sorted(T *a, int n) {
  std::sort(a + threadIdx.x * n, a + (threadIdx.x + 1) * n);
}
__global__ void smallest(const int *a, int n, int *out) {
  out[threadIdx.x] = *std::min_element(a, a + n) + *std::max_element(a, a + n);
}
__global__ void filled(int *a, int n) { std::fill(a, a + n, 1), std::reverse(a, a + n); }
__global__ void folded(int *a, int n) { a[0] = thrust::reduce(thrust::device, a, a + n); }
__global__ void pointed(thrust::device_ptr<float> p, int n) {
  p[threadIdx.x * n] = thrust::max(p.get()[0], *p);
}
__global__ void found(int *p, int n) {
  thrust::counting_iterator<int> first(0);
  p[0] = *thrust::find_if(thrust::seq, first, first + n, [=](int i) { return p[i] == 3; });
}
__global__ void picked(int *a) { a[threadIdx.x] = std::clamp(a[1], 0, 3); }
void run(int *a) { sorted<<<1, 32>>>(a, 4); }
