// kernels: copy<float *, float *>? first<float *, 16>? gather<float *, int *>? scale<float>?
// Types by whose values memory is accessed are those of pointers, where no launch says more.
template <class In, class Out>
__global__ void copy(In from, int n, Out to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) *(to + i) = from[i];
}

template <typename Values, typename IndexIterator>
__global__ void gather(const Values in, IndexIterator which, float *out) {
  out[threadIdx.x] = in[which[threadIdx.x]];
}

template <typename T>
__global__ void scale(T *out, T by) { out[threadIdx.x] *= by; }

template <typename Iterator>
struct Reader {
  Iterator at;
  __device__ float operator()(int i) const { return at[i]; }
};

template <typename Iterator, int N>
__global__ void first(Iterator in, float *out) {
  Reader<Iterator> reader{in};
  out[threadIdx.x] = reader(N * threadIdx.x);
}
