// A template as an argument is named as the code of its namespace names it.
// kernels: apply<Twice, float> apply<Same, int>
namespace outer {
template <class T>
struct Same {
  __device__ static T of(T x) { return x; }
};
namespace inner {
template <class T>
struct Twice {
  __device__ static T of(T x) { return x + x; }
};
template <template <class> class F, class T>
__global__ void apply(T *p) {
  p[threadIdx.x] = F<T>::of(p[threadIdx.x]);
}
void run(float *p, int *q) {
  apply<Twice, float><<<1, 64>>>(p);
  apply<Same, int><<<1, 64>>>(q);
}
}  // namespace inner
}  // namespace outer
