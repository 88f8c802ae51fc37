#include "check.h"
__global__ void fill(int *p, int v) { p[threadIdx.x] = v; }
static int destroyed;
void CUDART_CB destroy(void *) { destroyed++; }
int main() {
  cudaGraph_t g;
  OK(cudaGraphCreate(&g, 0));
  cudaMemAllocNodeParams a = {};
  a.poolProps.allocType = cudaMemAllocationTypePinned, a.poolProps.location = {cudaMemLocationTypeDevice, 0}, a.bytesize = 128;
  cudaGraphNode_t alloc, kernel, copy, drop;
  OK(cudaGraphAddMemAllocNode(&alloc, g, 0, 0, &a));
  EXPECT(a.dptr);
  int v = 6, host[32];
  void *arguments[] = {&a.dptr, &v};
  cudaKernelNodeParams k = {};
  k.func = (void *)fill, k.gridDim = dim3(1), k.blockDim = dim3(32), k.kernelParams = arguments;
  OK(cudaGraphAddKernelNode(&kernel, g, &alloc, 1, &k));
  OK(cudaGraphAddMemcpyNode1D(&copy, g, &kernel, 1, host, a.dptr, 128, cudaMemcpyDeviceToHost));
  OK(cudaGraphAddMemFreeNode(&drop, g, &copy, 1, a.dptr));
  cudaGraphExec_t e;
  OK(cudaGraphInstantiate(&e, g, 0));
  OK(cudaGraphLaunch(e, 0));
  OK(cudaGraphLaunch(e, 0));
  OK(cudaDeviceSynchronize());
  EXPECT(host[31] == 6);
  // Memory that the graph does not free, the program may: the next launch has it again.
  cudaGraph_t kept;
  OK(cudaGraphCreate(&kept, 0));
  OK(cudaGraphAddMemAllocNode(&alloc, kept, 0, 0, &a));
  OK(cudaGraphAddKernelNode(&kernel, kept, &alloc, 1, &k));
  cudaGraphExec_t again;
  OK(cudaGraphInstantiate(&again, kept, 0));
  for (int turn = 0; turn < 3; turn++) {
    OK(cudaGraphLaunch(again, 0));
    memset(host, 0, sizeof host);
    OK(cudaMemcpy(host, a.dptr, 128, cudaMemcpyDeviceToHost));
    EXPECT(host[31] == 6);
    OK(turn ? cudaFreeAsync(a.dptr, 0) : cudaFree(a.dptr));
  }
  // … or another graph, made while nothing is there.
  cudaGraph_t dropping;
  cudaGraphExec_t dropped;
  OK(cudaGraphCreate(&dropping, 0));
  OK(cudaGraphAddMemFreeNode(&drop, dropping, 0, 0, a.dptr));
  OK(cudaGraphInstantiate(&dropped, dropping, 0));
  OK(cudaGraphLaunch(again, 0));
  OK(cudaGraphLaunch(dropped, 0));
  OK(cudaDeviceSynchronize());
  FAILS(cudaErrorInvalidValue, cudaMemcpy(host, a.dptr, 128, cudaMemcpyDeviceToHost));
  FAILS(cudaErrorInvalidValue, cudaGraphAddMemFreeNode(&drop, dropping, 0, 0, host));
  cudaUserObject_t o;
  OK(cudaUserObjectCreate(&o, &v, destroy, 2, cudaUserObjectNoDestructorSync));
  OK(cudaUserObjectRelease(o, 1));
  EXPECT(destroyed == 0);
  OK(cudaUserObjectRelease(o, 1));
  EXPECT(destroyed == 1);
  return 0;
}
