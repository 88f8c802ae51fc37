// Guesses that are left are tried together: a pointer that tells it.
// kernels: k<int>?
// calls: at most 1
#include <cuda_fp16.h>
template <class T> struct named;
template <> struct named<int> { enum { N = 4 }; };
template <class T> __global__ void k(T *p) { p[threadIdx.x] = named<T>::N; }
