// Device functions of before CUDA 9, in kernels, in a class's member and beside one of the source's
// own: that is the one called.
// kernels: bits numbers own
struct Bits {
  int of;
  __device__ explicit Bits(float x) : of(float_as_int(x)) {}
};
__global__ void bits(float *p) {
  p[threadIdx.x] = int_as_float(Bits(p[0]).of & 0x7fffffff) + uint_as_float(float_as_uint(p[1]));
}
__global__ void numbers(float *p, int *q, long long *r) {
  p[threadIdx.x] = saturate(int2float(q[0]) + uint2float(3u));
  q[threadIdx.x] = mul24(q[1], 5) + umul24(7u, 9u) + mulhi(q[2], 1 << 20) + float2int(p[3]);
  r[threadIdx.x] = mul64hi(r[0], 1ll << 40) + float2uint(p[4]);
}
__device__ unsigned umulhi(unsigned a, unsigned b) { return a + b; }
__global__ void own(unsigned *p) { p[threadIdx.x] = umulhi(p[0], p[1]); }
