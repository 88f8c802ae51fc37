// kernels: copy<Loader<float>, Loader<int>>
template <typename T>
struct Loader {
  const T *from;
  __device__ T operator()(int i) const { return from[i]; }
};
template <typename L, typename M>
__global__ void copy(L load, M mask, float *to) {
  if (mask(threadIdx.x)) to[threadIdx.x] = load(threadIdx.x);
}
template <typename L, typename M>
void dispatch(L load, M mask, float *to) {
  copy<L, M><<<1, 64>>>(load, mask, to);
}
void host(const float *p, const int *m, float *to) {
  Loader<float> load{p};
  auto mask = Loader<int>{m};
  dispatch<decltype(load), decltype(mask)>(load, mask, to);
}
