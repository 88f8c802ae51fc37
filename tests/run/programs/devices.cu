// Two devices: each has its own memory, variables, streams and pools; access must be given.
#include "check.h"

__device__ int own = 7;
__managed__ int both = 3;
__global__ void fill(int *a, int v) { a[threadIdx.x] = v + threadIdx.x; }
__global__ void mark(int v) { own += v; both += v; }

static int third(const int *a) { int h[32]; OK(cudaMemcpy(h, a, sizeof h, cudaMemcpyDefault)); return h[3]; }

int main(int argc, char **argv) {
  int n, v, *a[2];
  cudaStream_t s[2];
  cudaEvent_t e[2];
  OK(cudaGetDeviceCount(&n));
  EXPECT(n == 2);
  FAILS(cudaErrorInvalidDevice, cudaSetDevice(2));
  cudaDeviceProp first, second;
  OK(cudaGetDeviceProperties(&first, 0));
  OK(cudaGetDeviceProperties(&second, 1));
  EXPECT(first.pciBusID != second.pciBusID && memcmp(&first.uuid, &second.uuid, 16));
  for (int d = 0; d < 2; d++) {
    OK(cudaSetDevice(d));
    OK(cudaGetDevice(&v));
    EXPECT(v == d);
    OK(cudaMalloc(&a[d], 128));
    OK(cudaStreamCreate(&s[d]));
    OK(cudaEventCreate(&e[d]));
    fill<<<1, 32, 0, s[d]>>>(a[d], 100 * d);
    mark<<<1, 1>>>(d + 1);
    OK(cudaDeviceSynchronize());
  }
  EXPECT(both == 6);
  for (int d = 0; d < 2; d++) {
    OK(cudaSetDevice(d));
    OK(cudaMemcpyFromSymbol(&v, own, 4));
    EXPECT(v == 8 + d);
  }
  cudaPointerAttributes at;
  OK(cudaPointerGetAttributes(&at, a[1]));
  EXPECT(at.device == 1);
  EXPECT(third(a[1]) == 103);
  OK(cudaMemcpyPeer(a[0], 0, a[1], 1, 128));
  EXPECT(third(a[0]) == 103);
  FAILS(cudaErrorInvalidDevice, cudaMemcpyPeer(a[0], 0, a[1], 2, 128));

  OK(cudaSetDevice(0));  // streams and events are their device's
  fill<<<1, 32, 0, s[1]>>>(a[0], 1);
  FAILS(cudaErrorInvalidResourceHandle, cudaGetLastError());
  FAILS(cudaErrorInvalidResourceHandle, cudaEventRecord(e[1], s[0]));
  OK(cudaEventRecord(e[0], s[0]));
  OK(cudaStreamWaitEvent(s[1], e[0]));

  int can;
  OK(cudaDeviceCanAccessPeer(&can, 0, 1));
  EXPECT(can == 1);
  OK(cudaDeviceCanAccessPeer(&can, 1, 1));
  EXPECT(can == 0);
  FAILS(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(0, 0));
  OK(cudaDeviceEnablePeerAccess(1, 0));
  FAILS(cudaErrorPeerAccessAlreadyEnabled, cudaDeviceEnablePeerAccess(1, 0));
  fill<<<1, 32>>>(a[1], 5);
  EXPECT(third(a[1]) == 8);
  OK(cudaDeviceDisablePeerAccess(1));
  FAILS(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(1));

  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location = {cudaMemLocationTypeDevice, {1}};
  cudaMemPool_t pool;
  OK(cudaMemPoolCreate(&pool, &props));
  int *pooled;
  OK(cudaMallocFromPoolAsync(&pooled, 128, pool, s[1]));
  OK(cudaPointerGetAttributes(&at, pooled));
  EXPECT(at.device == 1);
  cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, {0}}, cudaMemAccessFlagsProtReadWrite};
  OK(cudaMemPoolSetAccess(pool, &access, 1));
  fill<<<1, 32>>>(pooled, 20);
  EXPECT(third(pooled) == 23);

  fill<<<1, 32>>>(a[1], 5);  // device 0 has no access any more
  FAILS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
  return 0;
}
