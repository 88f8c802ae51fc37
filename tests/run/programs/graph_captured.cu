#include "check.h"
__global__ void add(int *p, int v) { p[threadIdx.x] += v; }
int main() {
  cudaStream_t s, t;
  cudaEvent_t fork, join;
  OK(cudaStreamCreate(&s));
  OK(cudaStreamCreate(&t));
  OK(cudaEventCreate(&fork));
  OK(cudaEventCreate(&join));
  int *p, *q, host[32], other[32];
  OK(cudaMalloc(&p, 128));
  OK(cudaMalloc(&q, 128));
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  cudaStreamCaptureStatus status;
  OK(cudaStreamIsCapturing(s, &status));
  EXPECT(status == cudaStreamCaptureStatusActive);
  OK(cudaMemsetAsync(p, 0, 128, s));
  OK(cudaEventRecord(fork, s));
  OK(cudaStreamWaitEvent(t, fork, 0));
  add<<<1, 32, 0, s>>>(p, 5);
  OK(cudaMemsetAsync(q, 0, 128, t));
  add<<<1, 32, 0, t>>>(q, 7);
  OK(cudaEventRecord(join, t));
  OK(cudaStreamWaitEvent(s, join, 0));
  OK(cudaMemcpyAsync(host, p, 128, cudaMemcpyDeviceToHost, s));
  OK(cudaMemcpyAsync(other, q, 128, cudaMemcpyDeviceToHost, s));
  cudaGraph_t g;
  OK(cudaStreamEndCapture(s, &g));
  size_t n = 0, roots = 0;
  OK(cudaGraphGetNodes(g, 0, &n));
  OK(cudaGraphGetRootNodes(g, 0, &roots));
  EXPECT(n == 6 && roots == 1);
  memset(host, 0, sizeof host);
  OK(cudaDeviceSynchronize());
  EXPECT(host[0] == 0);  // nothing ran yet
  cudaGraphExec_t e;
  OK(cudaGraphInstantiate(&e, g, 0));
  for (int i = 0; i < 3; i++) OK(cudaGraphLaunch(e, s));
  OK(cudaStreamSynchronize(s));
  for (int i = 0; i < 32; i++) EXPECT(host[i] == 5 && other[i] == 7);
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
  FAILS(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(s));
  FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));
  FAILS(cudaErrorInvalidValue, cudaStreamEndCapture(s, &g));
  OK(cudaGraphExecDestroy(e));
  return 0;
}
