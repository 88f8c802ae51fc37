// Names that are used of the library cost no call. `using std::vector;` in a namespace, and
// classes with such members.
// kernels: k
// calls: 1
#include "core.h"
__global__ void k(core::Shape s, int *p) { *p = s.n(); }
