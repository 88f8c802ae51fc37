// kernels: marks
// A constant of <type_traits> may be of an enumeration's type, or a function's address.
#include <type_traits>

namespace flags {
using byte_t = unsigned char;
enum class mode : byte_t { off, on };
struct widths {
  using long_t = long long;
  enum kind : long_t { narrow = 3, wide = 5 };
};
template <mode m>
struct tag : std::integral_constant<mode, m> {};
template <class F, F f>
using call = std::integral_constant<F, f>;
}  // namespace flags

__device__ int twice(int x) { return 2 * x; }

__global__ void marks(int *out) {
  using flags::mode;
  int sum = flags::widths::wide + std::integral_constant<int, 4>::value;
  if (flags::tag<mode::on>::value == mode::on) sum += flags::call<int (*)(int), twice>::value(sum);
  if (flags::tag<mode::off>() != mode::off) sum = -sum;
  out[threadIdx.x] = sum;
}
