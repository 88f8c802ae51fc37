// kernels: plain
__global__ void größe(float *a) { a[threadIdx.x] = 1.0f; }  // error: names of device code
__global__ void plain(float *a) { a[threadIdx.x] = 1.0f; }  // wärmer
