// What a launch names and nothing in sight has the name of is given up with whatever else is mended.
// kernels: fill sums<float>?
// calls: 2
#include <testing.h>
template <class T> struct alignas(2 * sizeof(T)) two { T x, y; };
template <class T> __global__ void sums(two<T> *a) { a[threadIdx.x].x += a[threadIdx.x].y; }
__device__ int64_t total;
__device__ long first(long *p) { return *p; }
__global__ void fill(two<long> *a) { a[threadIdx.x] = {first(&total), 2}; }
TYPED_TEST(Sums, Sums) {
  sums<TypeParam><<<1, 64>>>(nullptr);
}
