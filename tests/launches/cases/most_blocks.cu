// `min(65535, blocks)`: the bound is the rare case, and a world's grid is what its sizes make.
#include <algorithm>
__global__ void plain(float *a, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        a[2 * i] = 1;
    }
}
#define MOST 65535
void standard(float *a, int n) {
    plain<<<std::min(65535, (n + 255) / 256), 256>>>(a, n); // tried: plain<<<5, 256>>>(n=1280) | plain<<<1, 256>>>(n=96)
}
void by_hand(float *a, int n) {
    int blocks = (n + 255) / 256;
    if (blocks > MOST) blocks = MOST;
    plain<<<blocks, 256>>>(a, n); // tried: plain<<<5, 256>>>(n=1280) | plain<<<1, 256>>>(n=96)
}
void chosen(float *a, int rows, int columns) {
    int n = rows * columns;
    int blocks = (n + 63) / 64 < MOST ? (n + 63) / 64 : MOST;
    plain<<<blocks, 64>>>(a, n); // tried: plain<<<23040, 64>>>(n=1474560) | plain<<<240, 64>>>(n=15360)
}
