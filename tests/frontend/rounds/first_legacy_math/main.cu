// What CUDA's headers had until version 8 is there before the compiler is asked.
// kernels: clear
// calls: 1
__global__ void clear(float *a) {
  a[threadIdx.x] = int_as_float(float_as_int(a[threadIdx.x]) & 0x7fffffff);
}
