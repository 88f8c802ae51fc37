// A type without its word is of the newer dialect.
// kernels: k
// calls: 2
template <class T> struct packed { using type = T; };
template <class T> __device__ packed<T>::type of(T x) { return x; }
__global__ void k(int *p) { p[threadIdx.x] = of(p[0]); }
