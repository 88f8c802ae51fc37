// What a file insists on and nothing defines is taken as it says, before the compiler is asked.
// kernels: copy
// remark: the macro FOR_DEVICES is defined nowhere: taken to be 1
// calls: 1
#include "modes.h"
#if !FOR_DEVICES
#error "this file is for GPUs"
#endif
__global__ void copy(float *a, const float *b) { a[threadIdx.x] = b[threadIdx.x] + WITH_MPI_; }
