// kernels: rows<thrust::plus<float>, float> rotated summed reduced
// lost: sorted "no instance of function template"
#include <cub/cub.cuh>
#include <thrust/complex.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/sort.h>
template <typename F, typename T>
__global__ void rows(F f, T *p) {
  p[threadIdx.x] = f(p[threadIdx.x], T(1));
}
__global__ void rotated(thrust::complex<float> *p) {
  p[threadIdx.x] = p[threadIdx.x] * thrust::complex<float>(0.f, 1.f);
}
__global__ void sorted(int *p) { thrust::sort(p, p + 4); }
__global__ void reduced(float *p) {
  typedef cub::BlockReduce<float, 128> Reduce;
  __shared__ typename Reduce::TempStorage storage;
  float most = Reduce(storage).Reduce(p[threadIdx.x], cub::Max());
  if (threadIdx.x == 0) p[0] = most;
}
template <class T>
struct product {
  T __device__ operator()(const thrust::tuple<T, T> &both) const {
    return thrust::get<0>(both) * thrust::get<1>(both);
  }
};
__global__ void summed(float *p) { p[threadIdx.x] = product<float>()(thrust::make_tuple(p[0], 2.f)); }
void host(float *p, thrust::device_vector<float> &v) { rows<<<1, 32>>>(thrust::plus<float>(), p); }
