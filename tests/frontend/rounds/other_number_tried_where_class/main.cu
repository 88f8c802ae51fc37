// No other number is tried where a class is wanted. `float` is refused; `int` and `__half`, which
// came next, would be, too.
// kernels: k<float4>?
// calls: 2
template <class T> __global__ void k(T *a, float *p) { *p = a[threadIdx.x].w; }
