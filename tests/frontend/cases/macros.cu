// kernels: marked twice
#define KERNEL __global__ void
#define DEVICE_FUNCTION __device__ __forceinline__
#define INNER DEVICE_FUNCTION
KERNEL marked(float *p) { p[threadIdx.x] = 1.0f; }

INNER float twofold(float x) { return 2 * x; }

extern "C" KERNEL __launch_bounds__(128) twice(float *p) {
  p[threadIdx.x] = twofold(p[threadIdx.x]);
}

float on_the_host(float x) { return x; }
