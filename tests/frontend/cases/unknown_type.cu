// kernels: fine
// lost: part "identifier \"real\" is undefined"
__global__ void part(real x) {}
__global__ void fine(float *p) { p[threadIdx.x] = 0.0f; }
