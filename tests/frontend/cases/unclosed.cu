// kernels: before
__global__ void before(int *p) { p[threadIdx.x] = 1; }

__global__ void open(int *p) {  // error: expected a "}"
  if (p[0]) {
    p[threadIdx.x] = 2;
}
