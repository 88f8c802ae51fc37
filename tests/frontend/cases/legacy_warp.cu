// The warp's functions of before CUDA 9, and HIP's names for NVIDIA's compilers.
// kernels: total reversed
#include <hip/hip_runtime.h>

__global__ void total(float *out, const float *in) {
    float sum = in[threadIdx.x];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down(sum, step);
    sum = __shfl(sum, 0) + __shfl_xor(sum, 1) + __shfl_up(sum, 1u, 16);
    if (__any(sum > 0) && __all(sum < 9)) out[threadIdx.x] = sum + __popc(__ballot(sum > 1));
}

#ifdef __HIPCC__
__global__ void reversed(double *out, const double *in, int n) {
    HIP_DYNAMIC_SHARED(double, kept)
    kept[hipThreadIdx_x] = in[hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x];
    __syncthreads();
    out[hipBlockIdx_x * n + hipThreadIdx_x] = kept[n - 1 - hipThreadIdx_x];
}
#endif
