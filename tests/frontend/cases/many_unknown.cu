// A part of something: what is undefined is defined where it is included, wherever that is.
// kernels: fine
// lost: part "identifier \"radius\" is undefined"
__global__ void part(float *p) { p[threadIdx.x] = radius * scale + offset; }
__global__ void fine(float *p) { p[threadIdx.x] = 0.0f; }
