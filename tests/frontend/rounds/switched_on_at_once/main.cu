// What alone switches all kernels on is defined before the compiler is asked for the first time.
// kernels: scale<float>?
// calls: 1
// remark: ELECTRIC is taken to be defined: it switches the kernels on
#ifdef ELECTRIC
template <class T>
__global__ void scale(T *a) {
  a[threadIdx.x] *= 2;
}
#endif
