// What is assumed waits for no message about others. Templates are asked for beside what is still
// to be mended of other things.
// kernels: k<float>?
// calls: 2
#define ONLY_HOST __host__
template <class T> struct kind;
template <> struct kind<int64_t> {};
template <> struct kind<long long> {};
struct Log { int level; ONLY_HOST void set(int); };
__constant__ Log logs;
template <class T> __global__ void k(T *p) { *p += sizeof(kind<int64_t>); }
