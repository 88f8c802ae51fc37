// Guesses that are left are tried together: two kernels.
// kernels: k<256>? l<128>? m<16>?
// calls: at most 4
template <int N> __global__ void k(int *p) { static_assert(N == 256); p[0] = N; }
template <int N> __global__ void l(int *p) { static_assert(N == 128); p[0] = N; }
template <int N> __global__ void m(int *p) { static_assert(N <= 16); p[0] = N; }
