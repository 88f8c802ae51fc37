// kernels: kept
// lost: clear "too few arguments"
__global__ void clear(int4 *buffer) { buffer[threadIdx.x] = make_int4(0); }

__global__ void kept(int *buffer) { buffer[threadIdx.x] = 0; }
