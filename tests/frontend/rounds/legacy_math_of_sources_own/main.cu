// A template of the source's own of such a name is what is called: ours would be the nearer one.
// kernels: clamp
// calls: 1
template <class T>
__device__ T saturate(T a) {
  return a < T(1.5) ? T(1.5) : a;
}
__global__ void clamp(float *a) { a[threadIdx.x] = saturate(a[threadIdx.x]); }
