// GCC's built-in functions that nvcc has in device code, too.
// kernels: bits longs memory numbers functions
__global__ void bits(int *p) {
  p[threadIdx.x] = __builtin_clz(p[0]) + __builtin_ctz(p[1]) + __builtin_popcount(p[2]) +
                   __builtin_ffs(p[3]) + __builtin_parity(p[4]) + __builtin_bswap32(p[5]);
}
__global__ void longs(long long *p) {
  p[threadIdx.x] = __builtin_clzll(p[0]) + __builtin_ctzll(p[1]) + __builtin_popcountll(p[2]);
}
__global__ void memory(int *p) {
  __builtin_memcpy(p, p + 32, 16);
  if (__builtin_expect(p[threadIdx.x] > 3, 0)) __builtin_memset(p, 0, 16);
}
__global__ void numbers(float *p) {
  p[threadIdx.x] = __builtin_fabsf(p[0]) + __builtin_sqrtf(p[1]) + __builtin_inff();
}
__global__ void functions(float *p, double *d) {
  p[threadIdx.x] = __builtin_floorf(p[0]) + __builtin_expf(p[1]) + __builtin_fmaf(p[2], p[3], p[4]);
  d[threadIdx.x] = __builtin_pow(d[0], 3.5) + __builtin_fmax(d[1], d[2]) + __builtin_rint(d[3]);
}
