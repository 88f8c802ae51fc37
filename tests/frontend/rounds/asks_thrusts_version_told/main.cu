// What asks for thrusts version is told it.
// kernels: k
// calls: 1
#include <thrust/version.h>
#if THRUST_VERSION < 100500
#error old
#endif
__global__ void k(int *p) { *p = 1; }
