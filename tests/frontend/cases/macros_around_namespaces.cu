// kernels: set<float>? put
// remark: the macro LIBRARY_NS_PREFIX is defined nowhere: taken to be empty
// remark: the macro LIBRARY_NS_POSTFIX is defined nowhere: taken to be empty
#include <vector>
LIBRARY_NS_PREFIX

// What is in it.
namespace library {
namespace util {
template <typename T>
__global__ void set(T *p, T value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = value;
}
__global__ void put(int *p) { p[threadIdx.x] = 1; }
}  // namespace util
}  // namespace library

LIBRARY_NS_POSTFIX
