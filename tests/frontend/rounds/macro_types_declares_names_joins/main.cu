// A macro of types declares the names that it joins.
// kernels: k
// calls: 1
#include "part.h"
struct A { int x; };
__global__ void k(int *a) { *a = has_x<A>::value; }
