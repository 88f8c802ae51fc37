// Kernels that launch kernels (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism").
#include "check.h"

// A child sees what its parent wrote, and a grid is over when its children are.
__global__ void add(int *p, int n, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += by;
}
__global__ void parent(int *p, int n) {
  p[threadIdx.x] = threadIdx.x;
  __syncthreads();  // what the block wrote before the launch, the child sees
  if (threadIdx.x == 0) add<<<(n + 63) / 64, 64>>>(p, n, 1000);
}

// One stream's work runs in its order, and that of the tail after all else.
__global__ void append(int *log, int what) { log[atomicAdd(log, 1) + 1] = what; }
__global__ void nested(int *log, int depth) {
  append<<<1, 1>>>(log, 10 * depth);
  append<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 10 * depth + 9);
  if (depth < 3) nested<<<1, 1>>>(log, depth + 1);
  append<<<1, 1>>>(log, 10 * depth + 1);
}

// A chain of tails, deeper than anything could nest.
__global__ void again(int *left) {
  if (--*left) again<<<1, 1, 0, cudaStreamTailLaunch>>>(left);
}

struct Pair { char c; double d; int n[3]; };
__global__ void record(Pair p, short s, double *out, unsigned *shape) {
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x + 32 * threadIdx.y] = 1;
  out[0] = p.c + p.d + p.n[2] + s;
  shape[0] = gridDim.x * 100 + gridDim.y * 10 + gridDim.z;
  shape[1] = blockDim.x * 100 + blockDim.y * 10 + blockDim.z;
}
__global__ void by_value(double *out, unsigned *shape) {
  Pair p = {1, 0.5, {2, 3, 4}};
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  record<<<dim3(1, 2, 3), dim3(4, 2, 1), 1024, stream>>>(p, -3, out, shape);
  cudaStreamDestroy(stream);
}

__global__ void wrong(int *p, cudaError_t *found) {
  add<<<1, 2048>>>(p, 1, 1);  // more threads than a block has
  found[0] = cudaPeekAtLastError();
  found[1] = cudaGetLastError();
  found[2] = cudaGetLastError();
  add<<<0, 32>>>(p, 1, 1);
  found[3] = cudaGetLastError();
  printf("%s\n", cudaGetErrorString(found[3]));
}

__global__ void moves(int *to, const int *from) {
  cudaMemsetAsync(to, 1, 64);
  cudaMemcpyAsync(to + 4, from, 16, cudaMemcpyDeviceToDevice);
  add<<<1, 1>>>(to, 1, 5);
}

__device__ int *kept;
__global__ void fill(int n) { for (int i = 0; i < n; i++) kept[i] = i; }
__global__ void allocates(int n) {
  if (cudaMalloc((void **)&kept, n * sizeof(int)) == cudaSuccess) fill<<<1, 1>>>(n);
}
__global__ void frees(int n, int *sum) {
  for (int i = 0; i < n; i++) *sum += kept[i];
  cudaFree(kept);
}

__global__ void stray(int *p) { p[1ll << 33] = 1; }
__global__ void bears_stray(int *p) { stray<<<1, 1>>>(p); }

__global__ void many(int *p) { add<<<1, 1>>>(p, 1, 1); }

int main(int argc, char **argv) {
  int *p, host[512];
  OK(cudaMalloc(&p, 4096));
  if (argc > 1) {  // more than may wait at once: cudaLimitDevRuntimePendingLaunchCount
    OK(cudaMemset(p, 0, 4));
    OK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 100));
    many<<<1, 128>>>(p);
    OK(cudaMemcpy(host, p, 4, cudaMemcpyDeviceToHost));
    EXPECT(host[0] == 128);
    return 0;
  }
  parent<<<1, 256>>>(p, 256);
  OK(cudaMemcpy(host, p, 1024, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 256; i++) EXPECT(host[i] == 1000 + i);

  OK(cudaMemset(p, 0, 4096));
  nested<<<1, 1>>>(p, 1);
  OK(cudaMemcpy(host, p, 1024, cudaMemcpyDeviceToHost));
  int order[] = {10, 20, 30, 31, 39, 21, 29, 11, 19};
  EXPECT(host[0] == 9);
  for (int i = 0; i < 9; i++) EXPECT(host[i + 1] == order[i]);

  int times = 300;
  OK(cudaMemcpy(p, &times, 4, cudaMemcpyHostToDevice));
  again<<<1, 1>>>(p);
  OK(cudaMemcpy(host, p, 4, cudaMemcpyDeviceToHost));
  EXPECT(host[0] == 0);

  double *out, value;
  unsigned shape[2];
  OK(cudaMalloc(&out, 8));
  by_value<<<1, 1>>>(out, (unsigned *)p);
  OK(cudaMemcpy(&value, out, 8, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(shape, p, 8, cudaMemcpyDeviceToHost));
  EXPECT(value == 2.5);
  EXPECT(shape[0] == 123 && shape[1] == 421);

  cudaError_t found[4];
  wrong<<<1, 1>>>(p, (cudaError_t *)(p + 16));
  OK(cudaMemcpy(found, p + 16, 16, cudaMemcpyDeviceToHost));
  EXPECT(found[0] == cudaErrorInvalidConfiguration && found[1] == cudaErrorInvalidConfiguration);
  EXPECT(found[2] == cudaSuccess && found[3] == cudaErrorInvalidConfiguration);

  OK(cudaMemcpy(p + 64, host, 16, cudaMemcpyHostToDevice));
  moves<<<1, 1>>>(p, p + 64);
  OK(cudaMemcpy(host + 64, p, 64, cudaMemcpyDeviceToHost));
  EXPECT(host[64] == 0x01010106 && host[65] == 0x01010101 && host[79] == 0x01010101);
  for (int i = 0; i < 4; i++) EXPECT(host[68 + i] == host[i]);

  OK(cudaMemset(p, 0, 4));
  allocates<<<1, 1>>>(100);
  frees<<<1, 1>>>(100, p);
  OK(cudaMemcpy(host, p, 4, cudaMemcpyDeviceToHost));
  EXPECT(host[0] == 4950);

  bears_stray<<<1, 1>>>(p);
  FAILS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
  return 0;
}
