// Which of two a comparison chooses is not for us to say.
// kernels:
// lost: small "it is under `#if LEVEL > 2` (line 5), which is off here"
// lost: large "it is under `#ifdef LARGE` (line 9), which is off here"
#if LEVEL > 2
__global__ void small(float *p) { p[threadIdx.x] /= 2; }
#endif

#ifdef LARGE
__global__ void large(float *p) { p[threadIdx.x] *= 2; }
#endif
