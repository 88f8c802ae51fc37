// What says where a lambda runs is nvcc's, and NVRTC takes it of none: in a kernel it is device code.
// kernels: k
// calls: 1
#define BOTH __host__ __device__
template <class F> __device__ int first(const int *rows, int n, F is_it) {
  int i = 0;
  while (i < n && !is_it(rows[i])) ++i;
  return i;
}
__global__ void k(const int *rows, int *p, int n) {
  int mine = threadIdx.x;
  int low = first(rows, n, [mine] __device__(int row) { return row >= mine; });
  int high = first(rows, n, [=] __host__ __device__(int row) { return row > mine; });
  p[mine] = high - low;
}
