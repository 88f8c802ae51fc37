// A class that a kernel asks things of is no number; where a condition asks, one may do.
// kernels: sized<Wide> guarded<float>? has_default<float>? kind<(Kind)1> part<float>?
// lost: scaled "no launch gives its template arguments, and `Policy::scale` asks for a class"
// lost: mapped "`f(…)` asks for a class"
// lost: first "`P::scale` asks for a class"
enum Kind { SMALL, LARGE };
struct Wide {
  static constexpr int size = 4;
};
template <class Policy> __global__ void scaled(float *a) { a[threadIdx.x] *= Policy::scale; }
template <class T> __global__ void sized(float *a) { a[threadIdx.x] *= T::size; }
template <class T> __global__ void guarded(T *a) {
  if constexpr (sizeof(T) > 64) a[threadIdx.x] = T::zero();
  a[threadIdx.x] += 1;  // T::size
}
template <class T, class P = Wide> __global__ void has_default(T *a) { a[threadIdx.x] += P::size; }
template <Kind K> __global__ void kind(float *a) { a[threadIdx.x] *= K == LARGE ? 2 : 3; }

void run(float *a) {
  constexpr Kind chosen = LARGE;
  sized<Wide><<<1, 64>>>(a);
  kind<chosen><<<1, 64>>>(a);
}
template <class T, class F> __global__ void mapped(T *a, F f) { a[threadIdx.x] = f(a[threadIdx.x]); }
template <class T> __global__ void part(T *a, T x) {
  using value_type = T;
  value_type (*how)(T) = nullptr;
  if constexpr (sizeof(T) > 64) a[threadIdx.x] = x(a[0]);
  a[threadIdx.x] += T(x);
}
template <class P> __global__ void first(float *a) {
  a[threadIdx.x] += P::scale;
  if constexpr (sizeof(P) > 4) a[threadIdx.x] += 1;
}
