// CCCL's reference to a stream is the host's, and members of classes with device code name it.
// kernels: k
#include <cuda/stream_ref>

template <class T>
struct Bitset {
  T *words;
  Bitset(T *words, cuda::stream_ref stream = {});
  void clear(cuda::stream_ref stream = cuda::stream_ref{cudaStream_t{nullptr}});
  __device__ bool test(int i) const { return words[i / 32] >> i % 32 & 1; }
};

__global__ void k(Bitset<int> set, bool *out) { out[threadIdx.x] = set.test(threadIdx.x); }

void run(Bitset<int> set, bool *out, cuda::stream_ref stream) {
  k<<<1, 64, 0, stream.get()>>>(set, out);
}
