// A class that a macro makes of what it is given is declared, though only `::` stands behind it.
// kernels: add
// calls: 1
#include <geometry/all.h>
#define OPERATOR(name, sign) \
  struct name##Op { static __device__ float of(float a, float b) { return a sign b; } };
OPERATOR(Add, +)
__global__ void add(float *a) { a[threadIdx.x] = AddOp::of(a[threadIdx.x], 1); }
