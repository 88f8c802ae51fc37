// What a constant's function would print on the host leaves the constant one.
// kernels: shared
#include <cstdio>
#define STOP(text)                          \
  do {                                      \
    std::fprintf(stderr, "%s\n", text);     \
    fflush(stdout);                         \
    std::abort();                           \
  } while (0)
constexpr int rounds(int n) {
  if (n == 0) STOP("none");
  return n / 2;
}
template <int N> struct Plan {
  static constexpr int count = rounds(N);
};
__global__ void shared(float *a) {
  for (int i = 0; i < Plan<8>::count; ++i) a[threadIdx.x] += i;
}
