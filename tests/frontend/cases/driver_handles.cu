// The driver's handles in a class that is shared with the host, and in a kernel's parameters.
// kernels: gather
#include <cuda.h>
struct Queue {
  CUstream stream;
  CUevent done[2];
  CUdeviceptr data;
};
__global__ void gather(Queue queue, float *out) {
  out[threadIdx.x] = ((const float *)queue.data)[threadIdx.x * 2] + sizeof(queue.done);
}
