#include "check.h"
__global__ void fill(int *p, int v) { p[threadIdx.x] = v; }
int main() {
  cudaStream_t s;
  OK(cudaStreamCreate(&s));
  int *p, *q, host[32];
  OK(cudaMallocAsync(&p, 128, s));
  fill<<<1, 32, 0, s>>>(p, 8);
  OK(cudaMemcpyAsync(host, p, 128, cudaMemcpyDeviceToHost, s));
  OK(cudaFreeAsync(p, s));
  OK(cudaStreamSynchronize(s));
  EXPECT(host[31] == 8);
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned, props.location = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t pool, standard;
  OK(cudaMemPoolCreate(&pool, &props));
  unsigned long long keep = 1 << 20, got = 0;
  OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &got));
  EXPECT(got == keep);
  OK(cudaMallocFromPoolAsync(&q, 4096, pool, s));
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &got));
  EXPECT(got == 4096);
  OK(cudaFreeAsync(q, s));
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &got));
  EXPECT(got == 0);
  OK(cudaDeviceGetDefaultMemPool(&standard, 0));
  OK(cudaDeviceSetMemPool(0, pool));
  cudaMemPool_t now;
  OK(cudaDeviceGetMemPool(&now, 0));
  EXPECT(now == pool && now != standard);
  OK(cudaMemPoolTrimTo(pool, 0));
  OK(cudaMemPoolDestroy(pool));
  return 0;
}
