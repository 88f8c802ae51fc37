// kernels: scaled
// remark: __CUDACC_EXTENDED_LAMBDA__ is taken to be 1, as a build of CUDA code says
#ifndef __CUDACC_EXTENDED_LAMBDA__
#error "compile with --extended-lambda"
#endif

__global__ void scaled(float *a) { a[threadIdx.x] *= 2; }
