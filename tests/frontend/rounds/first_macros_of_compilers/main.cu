// What a file insists on that any CUDA compiler defines is no macro of a build: it is what it is.
// kernels: copy
// calls: 1
#if !__cplusplus
#error "this file is C++"
#endif
#if !__CUDACC__
#error "this file is for nvcc"
#endif
#if !CUDART_VERSION
#error "this file needs a toolkit"
#endif
__global__ void copy(float *a, const float *b) { a[threadIdx.x] = b[threadIdx.x] + (__cplusplus > 1); }
