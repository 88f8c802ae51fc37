#include "check.h"
__global__ void work(float *p) { float x = 1; for (int i = 0; i < 100; i++) x = x * 1.5f + 1; p[threadIdx.x] = x; }
int main() {
  cudaEvent_t a, b, c;
  cudaStream_t s;
  float *p, ms = -1;
  OK(cudaStreamCreate(&s));
  OK(cudaMalloc(&p, 128));
  OK(cudaEventCreate(&a));
  OK(cudaEventCreate(&b));
  OK(cudaEventCreateWithFlags(&c, cudaEventDisableTiming));
  FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, a, b));
  OK(cudaEventRecord(a, s));
  work<<<1, 32, 0, s>>>(p);
  OK(cudaEventRecord(b, s));
  OK(cudaEventSynchronize(b));
  OK(cudaEventQuery(b));
  OK(cudaEventElapsedTime(&ms, a, b));
  EXPECT(ms > 0);
  OK(cudaEventRecord(c, s));
  OK(cudaStreamWaitEvent(0, c, 0));
  FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, a, c));
  OK(cudaEventDestroy(a));
  OK(cudaEventDestroy(b));
  OK(cudaEventDestroy(c));
  OK(cudaStreamDestroy(s));
  return 0;
}
