// kernels: k<Traits<float, 32 * 32, 4>, true> k<Traits<float, 32 * 32, 4>, false>
// A comment among template arguments, in a body that a macro takes.
template <class T, int A, int B> struct Traits {
  static constexpr int N = A + B;
  typedef T type;
};
template <class K, bool On> __global__ void k(typename K::type *p) { p[threadIdx.x] = K::N; }
#define SWITCH(c, NAME, ...)                                                                       \
  [&] {                                                                                            \
    if (c) {                                                                                       \
      constexpr bool NAME = true;                                                                  \
      return __VA_ARGS__();                                                                        \
    } else {                                                                                       \
      constexpr bool NAME = false;                                                                 \
      return __VA_ARGS__();                                                                        \
    }                                                                                              \
  }()
template <class T, int B> void run(T *p, bool on) {
  SWITCH(on, On, [&] {
    using Mine = Traits<T,
                        32 * 32,  // threads
                        /* elements */ B>;
    auto f = &k<Mine, On>;
    f<<<1, 32>>>(p);
  });
}
template void run<float, 4>(float *, bool);
