// NVRTC has no `__COUNTER__`: names that it makes differ by their lines.
// kernels: fill
// calls: 1
// remark: __COUNTER__
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define STATIC_CHECK(what) enum { JOIN(check_, __COUNTER__) = 1 / int(what) }
STATIC_CHECK(sizeof(int) == 4);
STATIC_CHECK(sizeof(char) == 1);
__global__ void fill(int *a) { a[threadIdx.x] = 1; }
