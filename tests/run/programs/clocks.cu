// Clocks never go back, and who waits for one does not wait for ever.
#include "check.h"
__global__ void wait_clock(long long *p, long long ticks) {
  long long start = clock64(), now = start, before = start;
  while (now - start < ticks) {
    now = clock64();
    if (now < before) p[1] = 1;
    before = now;
  }
  p[0] = now - start;
}
__global__ void wait_short(unsigned *p, unsigned ticks) {
  unsigned start = clock();
  while ((unsigned)clock() - start < ticks) {}
  p[0] = clock() - start;
}
__global__ void wait_timer(unsigned long long *p, unsigned long long ns) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do { asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); } while (now - start < ns);
  p[0] = now - start;
}
__global__ void timed(unsigned *p) {
  unsigned start = clock();
  p[1 + threadIdx.x] = threadIdx.x;
  p[0] = clock() - start;
}
int main() {
  long long *p;
  OK(cudaMallocManaged(&p, 1024));
  p[1] = 0;
  wait_clock<<<2, 1>>>(p, 10LL * 1410000 * 100);  // a second
  OK(cudaDeviceSynchronize());
  EXPECT(p[0] >= 1410000000LL && p[1] == 0);
  wait_short<<<1, 64>>>((unsigned *)p, 1u << 30);
  OK(cudaDeviceSynchronize());
  EXPECT(*(unsigned *)p >= 1u << 30);
  wait_timer<<<1, 1>>>((unsigned long long *)p, 5000000000ULL);
  OK(cudaDeviceSynchronize());
  EXPECT(p[0] >= 5000000000LL);
  timed<<<1, 32>>>((unsigned *)p);
  OK(cudaDeviceSynchronize());
  EXPECT(*(unsigned *)p > 0 && *(unsigned *)p < 1000);  // who only measures sees no leap
  return 0;
}
