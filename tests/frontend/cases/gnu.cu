// kernels: nearest named
// GNU's statement expressions and `typeof`, and C++20's names of members: nvcc takes them.
#define smaller(x, y)       \
  ({                        \
    __typeof__(x) _x = (x); \
    typeof(y) _y = (y);     \
    _x < _y ? _x : _y;      \
  })
struct Pair {
  int first, second;
};
__global__ void nearest(float *p, int n) {
  for (int i = 0; i <= smaller(n, (int)threadIdx.x); ++i) p[i] = smaller(p[i], 0.5f);
}
__global__ void named(int *p) {
  Pair pair = {.first = 1, .second = 2};
  p[threadIdx.x] = pair.first + pair.second;
}
