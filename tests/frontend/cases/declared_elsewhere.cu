// What a build's -D would declare is no slip, though another name is near.
// kernels: fine
// lost: scaled "identifier \"gain_b\" is undefined"
#ifdef BUILD_OF_THE_LIBRARY
__device__ float gain_b;
#endif

__global__ void scaled(float *out, float gain_a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = gain_a * gain_b;
}
__global__ void fine(float *p) { p[threadIdx.x] = 0.0f; }
