// kernels: moved
// What only nvcc's device code has.
struct Pair {
  float x, y;
#ifdef __NVCC__
  __device__ Pair &operator+=(const Pair &other) {
    x += other.x, y += other.y;
    return *this;
  }
#endif
};
#if defined(__NVCC__) && __CUDACC_VER_MAJOR__ >= 9
__global__ void moved(Pair *pairs) { pairs[threadIdx.x] += pairs[threadIdx.x + 32]; }
#endif
