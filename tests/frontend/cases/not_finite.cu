// NAN and INFINITY are constants, in tables of the device's, too.
// kernels: k
#include <cmath>
#include <limits>

__constant__ float table[] = {1, NAN, INFINITY, HUGE_VALF, __builtin_inff()};
static __constant__ double doubles[] = {HUGE_VAL, __builtin_nan(""), __builtin_huge_val()};
constexpr float most = std::numeric_limits<float>::infinity();

__global__ void k(float *p) { p[threadIdx.x] = table[threadIdx.x] + doubles[0] + most; }
