// kernels: scaled<double> scaled<float> shifted
// Macros of launch bounds, or of nothing, between a kernel's type and its name.
#define BOUNDS(threads, blocks) __launch_bounds__(threads, blocks)
#define NOTHING(threads, blocks)
template <class real>
__global__ void
NOTHING (SCALED_THREADS, SCALED_BLOCKS)
scaled(const real *a, real *b, real by) {
  b[threadIdx.x] = a[threadIdx.x] * by;
}

BOUNDS(256, (1 + 1))
__global__ void shifted(float *a) { a[threadIdx.x] = a[threadIdx.x + 1]; }

template <class real>
void run(real *a) {
  scaled<real><<<1, 64>>>(a, a + 64, real(2));
  shifted<<<1, 64>>>((float *)a);
}
int main() {
  run<float>(nullptr);
  run<double>(nullptr);
}
