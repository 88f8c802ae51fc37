// kernels: sample
texture<float, 1, cudaReadModeElementType> linear;
texture<float, cudaTextureType2D, cudaReadModeElementType> plane;
__global__ void sample(float *out) {
  out[threadIdx.x] = tex1Dfetch(linear, threadIdx.x) + tex2D(plane, 0.5f, threadIdx.x);
}
