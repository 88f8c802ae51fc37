// Who includes this gives its template a class that can be called.
// kernels: each<Fill>
template <class F> __global__ void each(int n, F f) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) f(i);
}
template <class F> void for_each(int n, F f) { each<<<1, 256>>>(n, f); }
