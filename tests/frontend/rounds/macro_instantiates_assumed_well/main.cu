// What a macro instantiates is not assumed as well.
// kernels: k<int>
// calls: 1
template <class T> __global__ void k(T *p) { p[threadIdx.x] = 1; }
#define OF(T) template __global__ void k<T>(T *);
OF(int)
