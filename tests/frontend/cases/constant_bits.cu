// GCC's functions of bits are constants of constants, as nvcc has them.
// kernels: planned counted
template <typename T> constexpr unsigned log2_of(T n) {
  return sizeof(T) == 4 ? 31 - __builtin_clz(n) : 63 - __builtin_clzll(n);
}
template <int N> struct Plan {
  static constexpr int log = log2_of(N);
};
template <bool> struct Holds;
template <> struct Holds<true> {
  static constexpr int one = 1;
};
__global__ void planned(int *a) {
  int kept[Plan<1024>::log];
  for (int i = 0; i < Plan<1024>::log; ++i) kept[i] = a[i];
  kept[0] += Holds<Plan<1024>::log == 10 && log2_of(1ull << 40) == 40>::one;
  kept[1] += Holds<__builtin_ctz(48) == 4 && __builtin_popcount(255) == 8>::one;
  kept[2] += Holds<__builtin_ffs(0) == 0 && __builtin_ffs(8) == 4 && __builtin_parity(7)>::one;
  a[threadIdx.x] = kept[9];
}
__global__ void counted(int *a) { a[threadIdx.x] = __builtin_clz(a[0]) + __builtin_ffsll(a[1]); }
