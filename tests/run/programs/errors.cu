#include "check.h"
__global__ void nothing(int *p) { if (p) *p = 1; }
__global__ void __launch_bounds__(64) bounded(int *p) { if (p) *p = 1; }
int main() {
  nothing<<<1, 2048>>>(0);
  EXPECT(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  EXPECT(cudaGetLastError() == cudaSuccess);
  nothing<<<0, 32>>>(0);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  nothing<<<1, dim3(1, 1, 65)>>>(0);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  nothing<<<1, 32, 100 << 10>>>(0);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  bounded<<<1, 128>>>(0);
  EXPECT(cudaGetLastError() != cudaSuccess);
  nothing<<<1, 32>>>(0);
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
  FAILS(cudaErrorInvalidDevice, cudaSetDevice(7));
  FAILS(cudaErrorInvalidDeviceFunction, cudaLaunchKernel((void *)&main, 1, 1, 0, 0, 0));
  FAILS(cudaErrorInvalidResourceHandle, cudaStreamSynchronize((cudaStream_t)0x1234560));
  EXPECT(!strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress"));
  EXPECT(!strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory"));
  EXPECT(!strcmp(cudaGetErrorString(cudaSuccess), "no error"));
  EXPECT(!strcmp(cudaGetErrorName((cudaError_t)98765), "unrecognized error code"));
  return 0;
}
