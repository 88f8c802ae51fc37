// A value among template arguments means what it means where the kernel or its launch stands.
// kernels: laid<float, (Layout)0>? chosen<op>
namespace lib {
typedef enum { NCHW, NHWC } Layout;
namespace impl {
__device__ inline float op(float x) { return 2 * x; }

template <class T, Layout L>
__global__ void laid(T *p) {
  p[threadIdx.x] = L == NCHW ? T() : T(1);
}
template <float F(float)>
__global__ void chosen(float *p) {
  p[threadIdx.x] = F(p[threadIdx.x]);
}
void run(float *p) {
  chosen<op><<<1, 32>>>(p);
 <<<1, 32>>>(p);
}
}
}
