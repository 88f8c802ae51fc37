// kernels: k<One, 20> k<Two, 30> plain<16> wide<float, 16>? shaded<float, 8> shaded<float, 5> picked<4>
// Host templates that macros call, with arguments of their own.
struct One {
  typedef float R;
  static const int n = 1;
};
struct Two {
  typedef int R;
  static const int n = 2;
};
template <class M, int N> __global__ void k(typename M::R *out) {
  for (int i = 0; i < N; ++i)
    out[threadIdx.x] += M::n;
}
template <class M, int N = 10> float bench(const char *name, int m) {
  k<M, N><<<m, 32>>>(nullptr);
  return 0;
}
#define BENCH(M, m, N) bench<M, N>(#M, m)
// Without arguments a default is what there is.
template <int N> __global__ void plain(int *out) { out[threadIdx.x] = N; }
template <int N = 16> void with_default(int *out) { plain<N><<<1, 32>>>(out); }
// A call beside the macro's.
template <class T, int N> __global__ void shaded(T *out) { out[threadIdx.x] = N; }
template <class T, int N = 5> void shade(T *out) { shaded<T, N><<<1, 32>>>(out); }
#define SHADE(N) shade<float, N>(out)
// A call that is not read: the default is not what it gives.
template <class T, int N> __global__ void wide(T *out) { out[threadIdx.x] = N; }
template <class T, int N = 10> void widen(T *out) { wide<T, N><<<1, 32>>>(out); }
#define WIDEN widen<float, 20>
// The one that the program takes.
template <int N> __global__ void picked(float *out, int n) { out[threadIdx.x] = N; }
template <int N> void pick(float *out, int n) { picked<N><<<n, 32>>>(out, n); }
#define PICK(N) if (n == (N)) { pick<(N)>(out, n); }
void choose(float *out, int n) {
  PICK(2)
  PICK(4)
}
void host(float *out) {
  BENCH(One, 1, 20);
  BENCH(Two, 2, 30);
  SHADE(8);
  shade(out);
  choose(out, 4);
  WIDEN(out);
  with_default(out);
}
