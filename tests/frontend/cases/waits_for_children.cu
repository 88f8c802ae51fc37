// Before CUDA 12 a kernel could wait for the grids that it had launched. What only could is whole.
// (One that does is not analysed: its PTX calls a function without a body.)
// kernels: child k waits
__device__ inline int wait(int debug) { return debug ? cudaDeviceSynchronize() : 0; }

__global__ void child(float *p) { p[threadIdx.x] += 1; }

__global__ void k(float *p) { p[threadIdx.x] = 1; }

__global__ void waits(float *p) {
  child<<<1, 32>>>(p);
  wait(1);
  p[0] = p[1];
}
