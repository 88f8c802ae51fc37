#include "check.h"
__global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w, int h) {
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= w || y >= h) return;
  int v;
  surf2Dread(&v, from, x * 4, y);
  surf2Dwrite(v + 1, to, y * 4, x);
}
int main() {
  const int w = 20, h = 12;
  int host[h][w], back[w][h];
  for (int i = 0; i < w * h; i++) (&host[0][0])[i] = i;
  cudaArray_t a, b;
  cudaChannelFormatDesc c = cudaCreateChannelDesc<int>();
  OK(cudaMallocArray(&a, &c, w, h, cudaArraySurfaceLoadStore));
  OK(cudaMallocArray(&b, &c, h, w, cudaArraySurfaceLoadStore));
  OK(cudaMemcpy2DToArray(a, 0, 0, host, w * 4, w * 4, h, cudaMemcpyHostToDevice));
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray;
  cudaSurfaceObject_t from, to;
  r.res.array.array = a;
  OK(cudaCreateSurfaceObject(&from, &r));
  r.res.array.array = b;
  OK(cudaCreateSurfaceObject(&to, &r));
  turn<<<dim3(3, 2), dim3(8, 8)>>>(from, to, w, h);
  OK(cudaMemcpy2DFromArray(back, h * 4, b, 0, 0, h * 4, w, cudaMemcpyDeviceToHost));
  for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) EXPECT(back[x][y] == host[y][x] + 1);
  OK(cudaDestroySurfaceObject(from));
  OK(cudaDestroySurfaceObject(to));
  return 0;
}
