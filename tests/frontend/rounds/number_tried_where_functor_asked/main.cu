// No number is tried where a functor is asked.
// kernels: m
// lost: k "no launch gives its template arguments,"
// lost: l "no launch gives its template arguments,"
// calls: 1
template <class T, class F> __global__ void k(T *p, F f) { *p = f(*p); }
template <class D> __global__ void l(D d) { typename D::type x; d.put(x); }
__global__ void m(int *p) { *p = 1; }
