// kernels: draw
#include <cublas_v2.h>
#include <curand_kernel.h>
__global__ void draw(curandState *states, float *out, __half *h) {
  curand_init(1234, threadIdx.x, 0, &states[threadIdx.x]);
  out[threadIdx.x] = curand_uniform(&states[threadIdx.x]);
  h[threadIdx.x] = __float2half(out[threadIdx.x]);
}
