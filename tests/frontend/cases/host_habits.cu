// kernels: arrays glued literal quick times
// What host compilers let pass, and nvcc with them, but NVRTC does not.
// remark: `operator*` has no `__device__` in sight
struct point {
  float x, y;
};
extern "C"__global__ void glued(float *a) { a[threadIdx.x] = 1.0f; }

__global__ void literal(struct point *p, float v) {
  p[threadIdx.x] = (struct point){v, 2.0f};
}

__global__ void quick(float *a) {
  register float s = a[threadIdx.x];
  a[threadIdx.x] = s + 1.0f;
}

inline float2 operator*(float2 a, float b) { return make_float2(a.x * b, a.y * b); }
__global__ void times(float2 *a) { a[threadIdx.x] = a[threadIdx.x] * 2.0f; }

typedef unsigned char byte;
template <int N>
__device__ int at(const __restrict__ byte x[2 * N + 1], const __restrict__ uint32_t y[N], int i) {
  return x[i] + y[i & 1];
}
__global__ void arrays(int *a, const byte *__restrict__ x, const uint32_t *y) {
  a[threadIdx.x] = at<2>(x, y, threadIdx.x);
}
