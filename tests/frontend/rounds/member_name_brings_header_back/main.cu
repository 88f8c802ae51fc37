// A member of that name brings no header back. `entry` is no type in sight. It was taken to be in
// the header of whose class it is one. That header does come back for what `f` names, which costs
// calls, too.
// kernels: k
// lost: lost "identifier \"entry\" is undefined"
// calls: 6
#include "host.h"
__global__ void k(float *p) { p[threadIdx.x] = 1; }
__global__ void lost(entry *p) { p[threadIdx.x] = 1; }
__device__ void f(plain::log0 *p0, plain::log1 *p1, plain::log2 *p2, plain::log3 *p3, plain::log4 *p4, plain::log5 *p5);
