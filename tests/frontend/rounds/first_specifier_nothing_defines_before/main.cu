// One call is enough for: a specifier that nothing defines before a class.
// kernels: k
// calls: 1
#include <lib/export.hpp>
struct LIB_VISIBLE error_type {
  int value;
  error_type(int e) : value(e) {}
  const char *name() const { return cudaGetErrorName(cudaError_t(value)); }
};
enum class LIB_VISIBLE kind : int { one, two };
__global__ void k(float *p) { p[threadIdx.x] = float(kind::two); }
