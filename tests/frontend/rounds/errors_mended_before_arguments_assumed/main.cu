// Errors are mended before arguments are assumed. A float is refused by the one kernel; the other
// needs a header.
// kernels: m l<float>?
// lost: k "no launch gives its template arguments,"
template <class T> __global__ void k(T *p) { p[threadIdx.x] = p->absent; }
template <class T> __global__ void l(T *p) { p[threadIdx.x] = 1; }
__global__ void m(__half *p) { p[threadIdx.x] = 1; }
