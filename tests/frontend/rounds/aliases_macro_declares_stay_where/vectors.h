namespace v {
template <class T, unsigned N> struct tvec { T first, second; };
#define ANYWHERE __host__ __device__
#define NAMED(name, T) \
template <unsigned N> using name = tvec<T, N>; \
template <unsigned N> using a##name = tvec<T, N>; \
using name##1 = name<1>; \
using name##2 = name<2>;

NAMED(bvec, bool)
NAMED(vec, float)
NAMED(lvec, Absent)
#if defined(__CUDACC__)
NAMED(hvec, int)
#endif

#if defined(__CUDACC__)
inline ANYWHERE float first(const vec2 &x) { return x.first; }
#endif
}
