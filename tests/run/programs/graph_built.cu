#include "check.h"
__constant__ int factor;
__global__ void scale(int *p, int n) { if (threadIdx.x < n) p[threadIdx.x] *= factor; }
static int told;
void CUDART_CB tell(void *what) { told += *(int *)what; }
int main() {
  int host[16], back[16], f = 3, *p, one = 1, n = 16;
  for (int i = 0; i < 16; i++) host[i] = i;
  OK(cudaMalloc(&p, 64));
  cudaGraph_t g, copy;
  cudaGraphNode_t up, symbol, kernel, down, call, empty;
  OK(cudaGraphCreate(&g, 0));
  OK(cudaGraphAddMemcpyNode1D(&up, g, 0, 0, p, host, 64, cudaMemcpyHostToDevice));
  OK(cudaGraphAddMemcpyNodeToSymbol(&symbol, g, 0, 0, factor, &f, 4, 0, cudaMemcpyHostToDevice));
  void *arguments[] = {&p, &n};
  cudaKernelNodeParams k = {};
  k.func = (void *)scale, k.gridDim = dim3(1), k.blockDim = dim3(32), k.kernelParams = arguments;
  cudaGraphNode_t before[] = {up, symbol};
  OK(cudaGraphAddKernelNode(&kernel, g, before, 2, &k));
  OK(cudaGraphAddMemcpyNode1D(&down, g, &kernel, 1, back, p, 64, cudaMemcpyDeviceToHost));
  cudaHostNodeParams h = {};
  h.fn = tell, h.userData = &one;
  OK(cudaGraphAddHostNode(&call, g, &down, 1, &h));
  OK(cudaGraphAddEmptyNode(&empty, g, &call, 1));
  cudaGraphNodeType type;
  OK(cudaGraphNodeGetType(kernel, &type));
  EXPECT(type == cudaGraphNodeTypeKernel);
  cudaGraphExec_t e;
  OK(cudaGraphInstantiate(&e, g, 0));
  OK(cudaGraphLaunch(e, 0));
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 16; i++) EXPECT(back[i] == 3 * i);
  EXPECT(told == 1);
  n = 8;  // parameters are copied: another launch needs them set
  OK(cudaGraphExecKernelNodeSetParams(e, kernel, &k));
  f = 10;
  OK(cudaGraphLaunch(e, 0));
  for (int i = 0; i < 16; i++) EXPECT(back[i] == (i < 8 ? 10 * i : i));
  OK(cudaGraphClone(&copy, g));
  cudaGraphNode_t twin;
  OK(cudaGraphNodeFindInClone(&twin, kernel, copy));
  cudaKernelNodeParams got;
  OK(cudaGraphKernelNodeGetParams(twin, &got));
  EXPECT(got.blockDim.x == 32 && *(int *)got.kernelParams[1] == 16);
  cudaGraph_t outer;
  cudaGraphNode_t inner;
  OK(cudaGraphCreate(&outer, 0));
  OK(cudaGraphAddChildGraphNode(&inner, outer, 0, 0, g));
  cudaGraphExec_t eo;
  OK(cudaGraphInstantiate(&eo, outer, 0));
  OK(cudaGraphLaunch(eo, 0));
  EXPECT(told == 3 && back[15] == 150);
  cudaGraphExecUpdateResultInfo info;
  OK(cudaGraphExecUpdate(e, g, &info));
  FAILS(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(eo, g, &info));
  OK(cudaGraphDestroy(g));
  OK(cudaGraphExecDestroy(e));
  return 0;
}
