// kernels: on
// lost: off "it is under `#ifdef NEVER_DEFINED` (line 5), which is off here"
__global__ void on(float *p) { p[0] = 1; }

#ifdef NEVER_DEFINED
__global__ void off(float *p) { p[0] = 2; }
#endif
