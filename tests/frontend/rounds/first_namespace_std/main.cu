// One call is enough for: of namespace std.
// kernels: k
// calls: 1
#include <array>
#include <type_traits>
using namespace std;
template <class T> __device__ enable_if_t<is_same<T, float>::value, T> twice(T x) { return x + x; }
__global__ void k(const std::array<float *, 2> p) { p[0][threadIdx.x] = twice(p[1][threadIdx.x]); }
