// kernels: add sub named
// Kernels that function-like macros define.
#define KERNEL(NAME, OP)                              \
  __global__ void NAME(float *a, const float *b) {    \
    a[threadIdx.x] = a[threadIdx.x] OP b[threadIdx.x]; \
  }
KERNEL(add, +)
KERNEL(sub, -)
#define HEAD(NAME) __global__ void NAME
HEAD(named)(float *a) { a[threadIdx.x] = 1; }
int main() {
  float *a;
  cudaMalloc(&a, 1024);
  named<<<1, 256>>>(a);
}
