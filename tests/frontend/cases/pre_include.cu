// kernels: uses
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

__global__ void uses(double *out, uint8_t *bytes, std::size_t n) {
  assert(n > 0);
  static_assert(std::is_same<std::remove_cv_t<const int>, int>::value, "");
  static_assert(std::is_integral_v<unsigned long> && !std::is_integral_v<float>, "");
  static_assert(std::is_signed<int>::value && std::is_unsigned<unsigned>::value, "");
  static_assert(std::numeric_limits<int>::max() == INT_MAX, "");
  static_assert(std::numeric_limits<uint64_t>::digits == 64, "");
  out[0] = M_PI + FLT_MAX + DBL_EPSILON + INFINITY + std::sqrt(out[1]);
  out[1] = std::min(out[2], out[3]) + std::max(1, 2) + INT64_MAX + SIZE_MAX;
  std::swap(out[2], out[3]);
  bytes[0] = std::numeric_limits<uint8_t>::max();
  if (isnan(out[0]) || std::isinf(out[1])) out[2] = std::numeric_limits<double>::infinity();
}
