// The header that defines the specifiers is not there.
// kernels: k
// remark: the macro HD is defined nowhere: taken to be empty
#include "not_here.h"

struct Pair {
  float a, b;
  HD Pair(float x, float y) : a(x), b(y) {}
  HD float sum() const { return a + b; }
};

template <class T>
HD T twice(T x) {
  return x + x;
}

__global__ void k(float *p) {
  Pair q(p[0], p[1]);
  p[threadIdx.x] = twice(q.sum());
}
