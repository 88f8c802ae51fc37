// kernels: glued literal quick times
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
