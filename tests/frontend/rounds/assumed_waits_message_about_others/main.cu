// What is assumed waits for no message about others. Templates are asked for beside what is still
// to be mended of other things.
// kernels: k<float>?
// calls: 2
#define ONLY_HOST __host__
__device__ int64_t total;
__device__ long first(long *p) { return *p; }
__device__ long sum() { return first(&total); }
struct Log { int level; ONLY_HOST void set(int); };
__constant__ Log logs;
template <class T> __global__ void k(T *p) { *p += sum(); }
