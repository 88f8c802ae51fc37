// Guesses that are left are tried together: a type.
// kernels: k<float4, true, 16>?
// calls: at most 1
template <class T> struct named;
template <> struct named<float4> { enum { N = 4 }; };
namespace a { template <class T, bool B, unsigned N> __global__ void k(T *p) {
  p[threadIdx.x] = T(); static_assert(named<T>::N == 4 && (N == 128 || N == 16)); } }
