// What is written in a newer dialect is compiled so at once.
// kernels: k
// calls: 1
#if __cplusplus < 202002L
#error This needs C++20.
#endif
__device__ int of(int x) { return x; }
__global__ void k(int *p) { p[threadIdx.x] = of(p[0]); }
