// Headers of CCCL's that only the host has, and one whose host functions NVRTC refuses.
// kernels: k persists
#include <cuda/annotated_ptr>
#include <cuda/memory_resource>
#include <cuda/stream_ref>

__global__ void k(float *p) { p[threadIdx.x] = 1; }

__global__ void persists(float *p) {
  cuda::annotated_ptr<float, cuda::access_property::persisting> q(p);
  q[threadIdx.x] = 1;
}

void run(cuda::stream_ref stream, float *p) { k<<<1, 32, 0, stream.get()>>>(p); }
