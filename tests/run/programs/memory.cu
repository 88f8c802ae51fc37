#include "check.h"
__global__ void twice(int *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] *= 2; }
int main() {
  int n = 1000, host[1000], *p, *q;
  for (int i = 0; i < n; i++) host[i] = i;
  OK(cudaMalloc(&p, n * 4));
  OK(cudaMalloc(&q, n * 4));
  EXPECT(p != q && (size_t)p % 256 == 0);
  OK(cudaMemcpy(p, host, n * 4, cudaMemcpyHostToDevice));
  twice<<<4, 256>>>(p, n);
  OK(cudaMemcpy(q, p, n * 4, cudaMemcpyDeviceToDevice));
  OK(cudaMemcpy(host, q, n * 4, cudaMemcpyDefault));
  for (int i = 0; i < n; i++) EXPECT(host[i] == 2 * i);
  OK(cudaMemset(p, 1, n * 4));
  OK(cudaMemcpy(host, p + 10, 8, cudaMemcpyDeviceToHost));
  EXPECT(host[0] == 0x01010101);
  FAILS(cudaErrorInvalidValue, cudaMemcpy(p, host, n * 8, cudaMemcpyHostToDevice));
  FAILS(cudaErrorInvalidValue, cudaMemcpy(host, host, 4, cudaMemcpyDeviceToHost));
  FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(p, host, 4, (cudaMemcpyKind)9));
  EXPECT(cudaGetLastError() == cudaErrorInvalidMemcpyDirection && cudaGetLastError() == cudaSuccess);
  size_t left, total, after;
  OK(cudaMemGetInfo(&left, &total));
  OK(cudaFree(p));
  OK(cudaMemGetInfo(&after, &total));
  EXPECT(after == left + n * 4);
  FAILS(cudaErrorInvalidValue, cudaFree(p));
  OK(cudaFree(0));
  void *none = &none;
  OK(cudaMalloc(&none, 0));
  EXPECT(none == 0);
  FAILS(cudaErrorMemoryAllocation, cudaMalloc(&none, total + 1));
  cudaPointerAttributes a;
  OK(cudaPointerGetAttributes(&a, q));
  EXPECT(a.type == cudaMemoryTypeDevice && a.devicePointer == q && a.device == 0);
  OK(cudaPointerGetAttributes(&a, host));
  EXPECT(a.type == cudaMemoryTypeUnregistered);
  return 0;
}
