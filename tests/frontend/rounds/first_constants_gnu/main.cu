// One call is enough for: constants that GNU has.
// kernels: k
// calls: 1
#include <cstdio>
inline void show(std::FILE *to, float *p) { fprintf(to, "%f", p[0]); }
__device__ inline float turned(float a) { return a > M_PIf32 ? a - M_PIf : a; }
__global__ void k(float *p) { p[threadIdx.x] = turned(p[0]); }
