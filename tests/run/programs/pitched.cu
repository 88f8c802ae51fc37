#include "check.h"
__global__ void add(char *p, size_t pitch, int w, int h) {
  int x = threadIdx.x, y = blockIdx.x;
  if (x < w && y < h) ((int *)(p + y * pitch))[x] += 100 * y + x;
}
int main() {
  const int w = 37, h = 11, d = 3;
  char *p;
  size_t pitch;
  OK(cudaMallocPitch(&p, &pitch, w * 4, h));
  EXPECT(pitch >= w * 4 && pitch % 32 == 0);
  OK(cudaMemset2D(p, pitch, 0, w * 4, h));
  add<<<h, 64>>>(p, pitch, w, h);
  int host[h][w + 3];
  OK(cudaMemcpy2D(host, sizeof host[0], p, pitch, w * 4, h, cudaMemcpyDeviceToHost));
  for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) EXPECT(host[y][x] == 100 * y + x);
  FAILS(cudaErrorInvalidPitchValue, cudaMemcpy2D(host, 8, p, pitch, w * 4, h, cudaMemcpyDeviceToHost));
  cudaPitchedPtr whole;
  OK(cudaMalloc3D(&whole, make_cudaExtent(w * 4, h, d)));
  OK(cudaMemset3D(whole, 7, make_cudaExtent(w * 4, h, d)));
  static int back[d][h][w];
  cudaMemcpy3DParms m = {};
  m.srcPtr = whole;
  m.dstPtr = make_cudaPitchedPtr(back, w * 4, w, h);
  m.extent = make_cudaExtent(w * 4, h, d);
  m.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&m));
  for (int i = 0; i < d * h * w; i++) EXPECT((&back[0][0][0])[i] == 0x07070707);
  return 0;
}
