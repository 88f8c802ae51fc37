// A macro of the build's, not the user's error.
// kernels: tile
// remark: the macro TILE_DIM is defined nowhere: taken to be 16
__global__ void tile(float *p) {
  __shared__ float s[TILE_DIM];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[TILE_DIM - 1 - threadIdx.x];
}
