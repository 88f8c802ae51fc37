// kernels: mixed plain
// remark: powers.cu:5: pow of a float and an integer
// remark: powers.cu:6: pow of a float and an integer
__global__ void mixed(float *a, int n) {
  a[0] = pow(a[threadIdx.x], n);
  a[1] = std::pow(a[threadIdx.x], 2);
}
__global__ void plain(float *a, double *d, int n) {
  a[0] = pow(a[1], 2.0f);
  d[0] = pow(d[1], n);
  a[2] = powf(a[3], n);
}
