// The branches of an `#if` open one brace each: for the parser it is one. The function behind it
// is no part of this one.
// kernels: fill
// calls: 1
#include <cstdio>
#ifdef WIDE
void report(long n) {
#else
void report(int n) {
#endif
#ifdef VERBOSE
  if (n > 1) {
    printf("%s\n", "many");
#else
  if (n > 0) {
#endif
    fprintf(stderr, "%d\n", int(n));
  }
}
#ifndef __CUDACC__
inline int twice(int n) {
#else
__device__ inline int twice(int n) {
#endif
  return 2 * n;
}
__global__ void fill(int *a, int n) {
#ifdef WIDE
  if (threadIdx.x < 2 * n) {
#else
  if (threadIdx.x < n) {
#endif
    a[threadIdx.x] = twice(n);
  }
}
void check(FILE *file) { fprintf(file, "done"); }
