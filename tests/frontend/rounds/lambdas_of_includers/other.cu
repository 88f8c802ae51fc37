#include "main.cu"
int wipes(absent::any);
void wipe(int *p, int n) {
  for_each(n, [=] __device__(int i) { p[i] = 0; });
}
