// A specialisation of a template that was not found goes whole: nothing declares what it is of.
// kernels: k
#include <format_library/format.h>
namespace own {
enum class Kind { A, B };
}
template <>
struct format_library::formatter<own::Kind> : formatter<int> {
  auto format(own::Kind kind) const { return 0; }
};
__global__ void k(int *p) { p[threadIdx.x] = int(own::Kind::B); }
