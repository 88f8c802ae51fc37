// kernels: halve
#include <cuda_fp16.h>
__global__ void halve(half2 *p) { p[threadIdx.x] = __hmul2(p[threadIdx.x], __float2half2_rn(0.5f)); }
