#include <absent/all.h>
#include "main.cu"
absent::any made();
void fill(int *p, int n) {
  each<<<1, 256>>>(n, [=] __device__(int i) { p[i] = i; });
}
