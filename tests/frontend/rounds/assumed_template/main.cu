// Assumed arguments cost no call of their own: a template.
// kernels: k<float>?
// calls: 1
template <class T> __global__ void k(T *p) { p[threadIdx.x] = 1; }
