#ifdef ELECTRIC
#define BY 3
#else
#define BY 2
#endif
__global__ void scale(float *a) { a[threadIdx.x] *= BY; }
