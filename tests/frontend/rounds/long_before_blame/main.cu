// Nothing is blamed on a source before `int64_t` was a `long`, as it is where nvcc runs.
// kernels: put
// calls: 2
__device__ int64_t total;
__device__ long *as_long() { return &total; }
__global__ void put(long *p) { *p = *as_long(); }
