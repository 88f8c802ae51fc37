// The driver's interface, found at run time as programs do that link nothing.
#include "check.h"
#include <cuda.h>
#include <dlfcn.h>
static const char *ptx = R"(
.version 7.0
.target sm_70
.address_size 64
.global .align 4 .u32 bias = 7;
.visible .entry add(.param .u64 p, .param .u32 v) {
  .reg .u32 %r<6>; .reg .u64 %d<4>;
  ld.param.u64 %d1, [p]; ld.param.u32 %r1, [v];
  mov.u32 %r2, %tid.x; mul.wide.u32 %d2, %r2, 4; add.u64 %d3, %d1, %d2;
  ld.global.u32 %r3, [%d3]; add.u32 %r4, %r3, %r1; ld.global.u32 %r5, [bias]; add.u32 %r4, %r4, %r5;
  st.global.u32 [%d3], %r4; ret;
})";
#define FIND(name, symbol) auto name = (decltype(&::name))dlsym(library, symbol); EXPECT(name)
int main() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  EXPECT(library);
  FIND(cuInit, "cuInit"); FIND(cuDeviceGet, "cuDeviceGet"); FIND(cuModuleLoadData, "cuModuleLoadData");
  FIND(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain"); FIND(cuCtxSetCurrent, "cuCtxSetCurrent");
  FIND(cuModuleGetFunction, "cuModuleGetFunction"); FIND(cuMemAlloc, "cuMemAlloc_v2"); FIND(cuLaunchKernel, "cuLaunchKernel");
  FIND(cuMemcpyDtoH, "cuMemcpyDtoH_v2"); FIND(cuMemsetD32, "cuMemsetD32_v2"); FIND(cuModuleGetGlobal, "cuModuleGetGlobal_v2");
  FIND(cuCtxSynchronize, "cuCtxSynchronize"); FIND(cuGetErrorName, "cuGetErrorName"); FIND(cuMemFree, "cuMemFree_v2");
  FIND(cuDeviceGetAttribute, "cuDeviceGetAttribute"); FIND(cuFuncGetAttribute, "cuFuncGetAttribute");
  CUdevice d;
  CUcontext c;
  CUmodule m;
  CUfunction f;
  CUdeviceptr p, g;
  EXPECT(cuDeviceGet(&d, 0) == CUDA_ERROR_NOT_INITIALIZED);
  EXPECT(!cuInit(0) && !cuDeviceGet(&d, 0) && !cuDevicePrimaryCtxRetain(&c, d));
  EXPECT(cuModuleLoadData(&m, ptx) == CUDA_ERROR_INVALID_CONTEXT);
  EXPECT(!cuCtxSetCurrent(c) && !cuModuleLoadData(&m, ptx) && !cuModuleGetFunction(&f, m, "add"));
  EXPECT(cuModuleGetFunction(&f, m, "nothing") == CUDA_ERROR_NOT_FOUND);
  EXPECT(!cuModuleGetFunction(&f, m, "add") && !cuMemAlloc(&p, 128) && !cuMemsetD32(p, 5, 32));
  int v = 100, host[32];
  size_t size;
  void *arguments[] = {&p, &v};
  EXPECT(!cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, arguments, 0));
  struct { CUdeviceptr p; int v; } packed = {p, 1000};
  size = 12;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  EXPECT(!cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, 0, extra));
  EXPECT(!cuCtxSynchronize() && !cuMemcpyDtoH(host, p, 128));
  for (int i = 0; i < 32; i++) EXPECT(host[i] == 5 + 100 + 1000 + 14);
  EXPECT(!cuModuleGetGlobal(&g, &size, m, "bias") && size == 4);
  const char *name;
  EXPECT(!cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &name) && !strcmp(name, "CUDA_ERROR_INVALID_VALUE"));
  EXPECT(!cuMemFree(p) && cuMemFree(p) == CUDA_ERROR_INVALID_VALUE);
  cudaLibrary_t l;  // the runtime's way to the same
  cudaKernel_t k;
  OK(cudaLibraryLoadData(&l, ptx, 0, 0, 0, 0, 0, 0));
  OK(cudaLibraryGetKernel(&k, l, "add"));
  int *q;
  OK(cudaMalloc(&q, 128));
  OK(cudaMemset(q, 0, 128));
  void *more[] = {&q, &v};
  OK(cudaLaunchKernel((void *)k, 1, 32, more, 0, 0));
  OK(cudaMemcpy(host, q, 128, cudaMemcpyDeviceToHost));
  EXPECT(host[31] == 107);
  OK(cudaLibraryUnload(l));
  return 0;
}
