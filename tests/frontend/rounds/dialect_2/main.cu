// What is written in a newer dialect is compiled so at once.
// kernels: k
// calls: 1
template <typename T>
  requires(sizeof(T) <= 4)
__device__ T of(T x) { return x; }
__global__ void k(int *p) { p[threadIdx.x] = of(p[0]); }
