// Guesses that are left are tried together: a number.
// kernels: k<float, 2>?
// calls: at most 4
template <class T, int N> __global__ void k(T *p) {
  static_assert(N == 2, "only two");
  p[threadIdx.x] = N;
}
