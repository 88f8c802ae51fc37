// Guesses that are left are tried together: a function behind it.
// kernels: k<32>?
// calls: at most 4
template <int N> struct of;
template <> struct of<128> {};
template <> struct of<32> {};
template <int N> __device__ int in() { return sizeof(of<N>) + N; }
template <int N> __global__ void k(int *p) { p[0] = in<N>(); }
