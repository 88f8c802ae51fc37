// The driver's header says which version CUDA is of; a type of it that CCCL only declares is whole.
// kernels: newer moved
// lost: older "#else"
#include <cuda.h>
#include <cuda/barrier>

#if CUDA_VERSION >= 12000
__global__ void newer(float *p) { p[threadIdx.x] = CUDA_VERSION; }
#else
__global__ void older(float *p) { p[threadIdx.x] = 0; }
#endif

__global__ void moved(const __grid_constant__ CUtensorMap map, float *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
  if (threadIdx.x == 0) init(&arrived, blockDim.x);
  out[threadIdx.x] = sizeof(map);
}
