// kernels: fetched scaled
#include <cuda.h>
__device__ inline void fetch_ahead(const CUtensorMap *map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}
__global__ void fetched(const __grid_constant__ CUtensorMap map, float *out) {
  if (threadIdx.x == 0) fetch_ahead(&map);
  out[threadIdx.x] = 1.0f;
}
__global__ void scaled(float *out) { out[threadIdx.x] *= 2.0f; }
void launch(const CUtensorMap &map, float *out) {
  fetched<<<1, 32>>>(map, out);
  scaled<<<1, 32>>>(out);
}
