// What is declared and does not compile is called all the same, and by that no other overload is.
// kernels: k l
// remark: of_a_header
template <class T>
__device__ T twice(T x) {
  return x + x;
}
__device__ float twice(float x);
__device__ float twice(float x) { return of_a_header(x); }
struct Shape {
  __device__ virtual float area() { return of_a_header(1.0f); }
};
__global__ void k(float *y) { y[threadIdx.x] = twice(y[threadIdx.x]); }
__global__ void l(double *y) { y[threadIdx.x] = twice(y[threadIdx.x]); }
