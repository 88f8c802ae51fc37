#include "check.h"
__global__ void add(int *p, int v) { p[blockIdx.x * blockDim.x + threadIdx.x] += v; }
static int order[8], count;
void CUDART_CB told(void *what) { order[count++] = (int)(size_t)what; }
void CUDART_CB called(cudaStream_t, cudaError_t status, void *what) { if (!status) order[count++] = (int)(size_t)what; }
int main() {
  cudaStream_t s[4];
  int *p[4], *host;
  OK(cudaMallocHost(&host, 4 * 1024));
  for (int i = 0; i < 4; i++) {
    OK(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
    OK(cudaMalloc(&p[i], 1024));
    for (int k = 0; k < 256; k++) host[256 * i + k] = k;
    OK(cudaMemcpyAsync(p[i], host + 256 * i, 1024, cudaMemcpyHostToDevice, s[i]));
    add<<<2, 128, 0, s[i]>>>(p[i], i);
    OK(cudaMemcpyAsync(host + 256 * i, p[i], 1024, cudaMemcpyDeviceToHost, s[i]));
    OK(cudaLaunchHostFunc(s[i], told, (void *)(size_t)(10 + i)));
  }
  OK(cudaStreamAddCallback(s[0], called, (void *)99, 0));
  for (int i = 0; i < 4; i++) { OK(cudaStreamSynchronize(s[i])); OK(cudaStreamQuery(s[i])); }
  for (int i = 0; i < 1024; i++) EXPECT(host[i] == i % 256 + i / 256);
  EXPECT(count == 5);
  int seen = 0;
  for (int i = 0; i < 5; i++) seen |= 1 << (order[i] == 99 ? 4 : order[i] - 10);
  EXPECT(seen == 31);
  int least, greatest, priority;
  OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t high;
  OK(cudaStreamCreateWithPriority(&high, 0, greatest));
  OK(cudaStreamGetPriority(high, &priority));
  EXPECT(priority == greatest && greatest <= least);
  OK(cudaStreamDestroy(high));
  unsigned flags;
  OK(cudaStreamGetFlags(s[0], &flags));
  EXPECT(flags == cudaStreamNonBlocking);
  return 0;
}
