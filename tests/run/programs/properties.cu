#include "check.h"
int main() {
  int n, v, d;
  OK(cudaGetDeviceCount(&n));
  EXPECT(n == 1);
  cudaDeviceProp p;
  OK(cudaGetDeviceProperties(&p, 0));
  FAILS(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, 1));
  EXPECT(p.warpSize == 32 && p.maxThreadsPerBlock == 1024 && p.maxThreadsDim[2] == 64);
  OK(cudaDeviceGetAttribute(&v, cudaDevAttrMultiProcessorCount, 0));
  EXPECT(v == p.multiProcessorCount);
  OK(cudaDeviceGetAttribute(&v, cudaDevAttrComputeCapabilityMajor, 0));
  EXPECT(v == p.major && p.major == 8 && p.minor == 0);
  OK(cudaDeviceGetAttribute(&v, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  EXPECT(v == (int)p.sharedMemPerBlockOptin && v > (int)p.sharedMemPerBlock);
  EXPECT(strstr(p.name, "sm_80") && p.managedMemory && p.cooperativeLaunch && p.unifiedAddressing);
  OK(cudaSetDevice(0));
  OK(cudaGetDevice(&d));
  EXPECT(d == 0);
  char bus[32];
  OK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
  OK(cudaDeviceGetByPCIBusId(&d, bus));
  OK(cudaDeviceCanAccessPeer(&v, 0, 0));
  EXPECT(!v);
  OK(cudaRuntimeGetVersion(&v));
  EXPECT(v / 1000 == CUDART_VERSION / 1000);
  return 0;
}
