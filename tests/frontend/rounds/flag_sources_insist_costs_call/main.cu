// A flag that the sources insist on costs no call.
// kernels: k
// calls: 1
#if !defined(__CUDACC_EXTENDED_LAMBDA__)
#error "give --extended-lambda"
#endif
__global__ void k(int *p) { *p = 1; }
