// kernels: before after
__global__ void before(int *p) { p[threadIdx.x] = 1; }

__global__ void broken(int *p) {
  int i = threadIdx.x
  p[i] = 2;  // error: 3 expected a ";"
}

__global__ void after(int *p) { p[threadIdx.x] = 3; }
