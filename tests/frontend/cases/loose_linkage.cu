// A linkage before conditionals that have the host's function in each branch.
// kernels: scale scaled
#define INTEROP 0

__global__ void scale(float *out) { out[threadIdx.x] *= 2; }

extern "C"
#if INTEROP
void run(float *out, int resource) {
#else
void run(float *out) {
#endif
    scale<<<1, 32>>>(out);
}

extern "C"
// of device code
#if !INTEROP
__global__ void scaled(float *out) { out[threadIdx.x] *= 3; }
#endif
