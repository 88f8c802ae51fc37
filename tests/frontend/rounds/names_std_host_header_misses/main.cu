// Names of std that a host header misses come together.
// kernels: k
// calls: 2
#include "part.h"
struct A { int x; };
__global__ void k(kept<A> *a, held<int> b, pair_of<int> c) { *a = *b + c.first; }
