#include "check.h"
__global__ void say(const char *unused, int n) {
  printf("[%d,%d] %5.2f|%-6s|%06d|%x|%c|%%|%llu|%+d|%e\n", blockIdx.x, threadIdx.x, 1.5 * threadIdx.x, n > 3 ? "many" : "few",
         n, 255u + threadIdx.x, 'a' + threadIdx.x, 1ull << 40, -7, 12345.678);
  if (threadIdx.x == 1) printf("plain\n");
  printf("%*d|%.*f|%s\n", 6, n, 2, 3.14159, (const char *)0 == unused ? "null" : "set");
}
int main() {
  say<<<2, 2>>>(0, 5);
  printf("before\n");
  OK(cudaDeviceSynchronize());
  printf("after\n");
  return 0;
}
