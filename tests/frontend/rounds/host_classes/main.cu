// The host costs no call: classes.
// kernels: k
// calls: 1
struct Pair { int first; Pair *next; };
enum { N = 3 };
#include "host.h"
__global__ void k(Pair *p) { p[threadIdx.x].first = N; }
