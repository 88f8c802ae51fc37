// A specialisation of what is absent costs no call.
// kernels: k
// calls: 1
#include <formats/format.h>
namespace own { enum Kind { A, B }; }
template <> struct formats::formatter<own::Kind> : formatter<int> {
  auto format(own::Kind kind) const { return 0; }
};
__global__ void k(own::Kind *p) { *p = own::B; }
