// All kernels are under a switch that only a build can turn on.
// kernels: half doubled
// remark: ELECTRIC is taken to be defined: it switches the kernels on
#ifdef ELECTRIC
__global__ void half(float *p) { p[threadIdx.x] /= 2; }
#endif

#if defined(ELECTRIC)
__global__ void doubled(float *p) { p[threadIdx.x] *= 2; }
#endif
