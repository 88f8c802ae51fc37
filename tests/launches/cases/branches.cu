// Numbers that one arm of a branch sets: formulas of both arms where sizes decide it.
#include <cmath>
__global__ void plain(float *a, int n) {
    int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) a[2 * i] = 1;
}
dim3 covering(size_t n) {
    size_t k = (n - 1) / 256 + 1;
    size_t x = k;
    size_t y = 1;
    if (x > 65535) {
        x = ceil(sqrt(k));
        y = (n - 1) / (x * 256) + 1;
    }
    dim3 d = {x, y, 1};
    return d;
}
void wide(float *a, int n) {
    plain<<<covering(n), 256>>>(a, n); // tried: plain<<<5, 256>>>(n=1280) | plain<<<1, 256>>>(n=96)
}
void capped(float *a, int n) {
    int blocks = 1;
    int threads = n;
    if (n > 512) {
        blocks = (n + 511) / 512;
        threads = 512;
    }
    plain<<<blocks, threads>>>(a, n); // tried: plain<<<3, 512>>>(n=1280) | plain<<<2, 512>>>(n=544)
}
