#include "check.h"
__global__ void nothing() {}
int main(int argc, char **argv) {
  void *p;
  cudaIpcMemHandle_t h;
  OK(cudaMalloc(&p, 64));
  char attributes[64];
  for (int i = 0; i < 2; i++) FAILS(cudaErrorNotSupported, cudaDeviceGetNvSciSyncAttributes(attributes, 0, 1));
  if (argc > 1) FAILS(cudaErrorNotSupported, cudaIpcGetMemHandle(&h, p));
  cudaMipmappedArray_t levels;
  cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
  if (argc > 1) FAILS(cudaErrorNotSupported, cudaMallocMipmappedArray(&levels, &texel, {8, 8, 0}, 2));
  nothing<<<1, 1>>>();
  OK(cudaDeviceSynchronize());
  return 0;
}
