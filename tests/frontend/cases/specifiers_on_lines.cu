// kernels: bounded fill<float>? plain
// A macro for `__global__` on a line of its own, of which the host has an empty one.
#ifdef __CUDACC__
#define GLOBAL __global__
#define BOUNDS __launch_bounds__(256)
#else
#define GLOBAL
#define BOUNDS
#endif

template <class T>
GLOBAL
void fill(T *data, int n, T value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = value;
}

GLOBAL
void plain(float *data) { data[threadIdx.x] = 1; }

GLOBAL
BOUNDS
void bounded(float *data) { data[threadIdx.x] = 2; }
