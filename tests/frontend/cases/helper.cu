// The error is in a helper: its kernel is lost with it, and says so.
// kernels: fine
// lost: uses "it needs `scaled`"
__device__ float scaled(float x) {
  float factor = 2.0f;
  return x * factro;  // error: 14 identifier "factro" is undefined
}

__global__ void uses(float *p) { p[threadIdx.x] = scaled(p[threadIdx.x]); }

__global__ void fine(float *p) { p[threadIdx.x] = 0.0f; }
