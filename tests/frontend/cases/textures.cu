// kernels: sample spread
texture<float, 1, cudaReadModeElementType> linear;
texture<float, cudaTextureType2D, cudaReadModeElementType> plane;
static texture<uchar4, cudaTextureType2DLayered, cudaReadModeNormalizedFloat> colours;
surface<void, 2> canvas;
__device__ float at(texture<float, 2> &image, int x, int y) { return tex2D(image, x, y); }
__global__ void sample(float *out) {
  out[threadIdx.x] = tex1Dfetch(linear, threadIdx.x) + tex2D(plane, 0.5f, threadIdx.x);
}
__global__ void spread(float *out) {
  float old;
  surf2Dread(&old, canvas, threadIdx.x * 4, 0, cudaBoundaryModeClamp);
  old += surf2Dread<float>(canvas, threadIdx.x * 4, 1) + at(plane, threadIdx.x, 0);
  surf2Dwrite(tex2DLayered(colours, threadIdx.x, 0, 1).w + old, canvas, threadIdx.x * 4, 2);
}
void bind(float *from) {
  linear.normalized = false;
  linear.addressMode[0] = cudaAddressModeClamp;
  cudaBindTexture(0, linear, from, 128);
}
