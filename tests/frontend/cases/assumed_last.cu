// kernels: lookup<unsigned> fill<int>?
// remark: fill<int> was assumed
#include <type_traits>
// What an assumed argument breaks is not taken out of the other kernels.
template <typename T>
constexpr T no_key() {
  static_assert(std::is_same<T, unsigned>::value || std::is_same<T, int>::value, "a key");
  return T(-1);
}
template <typename T>
const T NO_KEY = no_key<T>();
template <typename T>
__global__ void lookup(const T *keys, int *found) {
  found[threadIdx.x] = keys[threadIdx.x] == NO_KEY<T>;
}
template <typename T>
__global__ void fill(T *keys) {
  keys[threadIdx.x] = NO_KEY<T>;
}
void host(unsigned *keys, int *found, int (*opaque)()) {
  lookup<<<1, 32>>>(keys, found);
}
