// compiled with --default-stream per-thread
#include "check.h"
#include <pthread.h>
__global__ void fill(int *p, int v) { p[threadIdx.x] = v; }
void *work(void *what) {
  int v = (int)(size_t)what, host[64], *p;
  for (int round = 0; round < 5; round++) {
    OK(cudaMalloc(&p, 256));
    fill<<<1, 64>>>(p, v + round);
    OK(cudaGetLastError());
    OK(cudaMemcpy(host, p, 256, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) EXPECT(host[i] == v + round);
    OK(cudaFree(p));
  }
  cudaSetDevice(v);  // an error of one thread is not another's
  return (void *)(size_t)cudaPeekAtLastError();
}
int main() {
  pthread_t t[4];
  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, work, (void *)(size_t)(100 * i));
  for (int i = 0; i < 4; i++) {
    void *error;
    pthread_join(t[i], &error);
    EXPECT((size_t)error == (i ? cudaErrorInvalidDevice : cudaSuccess));
  }
  OK(cudaGetLastError());
  return 0;
}
