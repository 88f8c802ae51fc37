#include "main.cu"
struct Fill {
  int *p;
  __device__ void operator()(int i) const { p[i] = i; }
};
void fill(int *p, int n) { for_each(n, Fill{p}); }
