// One call is enough for: the size of a tuple, which libcu++ itself declares in namespace std.
// kernels: k
// calls: 1
#include <tuple>
#include <utility>
__device__ std::tuple<int, float> both(int i) { return std::make_tuple(i, float(i)); }
template <class T, std::size_t... i> __device__ int count(std::index_sequence<i...>) {
  return sizeof...(i);
}
__global__ void k(float *p) {
  auto [n, x] = both(threadIdx.x);
  using pair = std::tuple<int, float>;
  std::tuple_element<1, pair>::type y = x;
  p[threadIdx.x] = n + y + count<int>(std::make_index_sequence<std::tuple_size<pair>::value>{});
}
