// C's literals of structures stand wherever a value may, as in hosts' compilers.
// kernels: turned chosen
__device__ float2 operator*(float2 a, float2 b) { return make_float2(a.x * b.x, a.y * b.y); }
__device__ float2 operator *(float2 a, float b) { return make_float2(a.x * b, a.y * b); }
struct Pair {
  float2 first, second;
};
__global__ void turned(float2 *a) { a[threadIdx.x] = a[0] * (float2){0.5f, 0.25f} * 2.0f; }
__global__ void chosen(Pair *p, bool up) {
  p[threadIdx.x] = Pair{(float2){1, 2}, up ? (float2){3, 4} : (float2){5, 6}};
  for (int i = 0, n = 3; i < (n); ++i) {
    p[i].first.x = 0;
  }
}
