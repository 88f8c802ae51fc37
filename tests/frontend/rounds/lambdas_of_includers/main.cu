// Who includes this gives its template lambdas, which no instance can name, or nothing: it is not
// compiled for that.
// kernels: plain
// lost: each "no name outside of its function"
// calls: 1
template <class F> __global__ void each(int n, F f) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) f(i);
}
template <class F> void for_each(int n, F f) { each<<<1, 256>>>(n, f); }
__global__ void plain(int *p) { p[threadIdx.x] = 1; }
