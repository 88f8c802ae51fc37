#include "check.h"
__global__ void plain(int *p) { p[threadIdx.x] = 1; }
__global__ void greedy(int *p) { __shared__ int s[10000]; s[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = s[31 - threadIdx.x]; }
int main() {
  int blocks, least, block, major, sm_threads, shared;
  OK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  OK(cudaDeviceGetAttribute(&sm_threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
  OK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 256, 0));
  EXPECT(blocks == sm_threads / 256);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, greedy, 32, 0));
  EXPECT(blocks == shared / (40000 + 1024 + 64 + 63) || blocks == shared / 41088);
  OK(cudaOccupancyMaxPotentialBlockSize(&least, &block, plain, 0, 0));
  EXPECT(block % 32 == 0 && block >= 256 && least >= 1);
  size_t dynamic;
  OK(cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, plain, 2, 256));
  EXPECT(dynamic > 48 << 10 && dynamic <= (size_t)shared / 2);
  return 0;
}
