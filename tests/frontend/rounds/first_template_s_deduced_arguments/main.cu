// One call is enough for: a template's deduced arguments.
// kernels: k
// calls: 1
struct Field {
  template <class T> static __device__ T add(T a, T b) { return a + b; }
  template <class T> __device__ T operator()(T a) const { return -a; }
};
template <class F> __device__ float sum(F f, float a) {
  return F::template add(a, a) + f.template operator()<float>(a);
}
__global__ void k(float *p) { p[threadIdx.x] = sum(Field(), p[threadIdx.x]); }
