// Elements that a loop stores are the same expressions where another loop reads them; one GPU, the
// first thread, the first process; members of structs that a lambda is given.
#include <omp.h>
__global__ void between(float *a, int low, int high) {
    int i = low + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < high) a[2 * i] = 1;
}
void parts(float *a, int n, int devices) {
    int low[8], high[8], rows = n / devices;
    for (int d = 0; d < devices; d++) {
        low[d] = 1 + d * rows;
        high[d] = low[d] + rows;
    }
    for (int e = 0; e < devices; e++)
        between<<<(high[e] - low[e] + 31) / 32, 32>>>(a, low[e], high[e]); // tried: between<<<3, 32>>>(low=1, high=97)
}
void single(float *a, int n) {
    int devices;
    cudaGetDeviceCount(&devices);
    int rows = n / devices, rank = omp_get_thread_num();
    between<<<rows / 32, 64>>>(a, rank * rows, (rank + 1) * rows); // tried: between<<<40, 64>>>(low=0, high=1280) | between<<<3, 64>>>(low=0, high=96)
}
void uneven(float *a) {
    const int n = 1000;
    int devices, rows[8];
    cudaGetDeviceCount(&devices);
    int low = n / devices, first = devices - n % devices;
    for (int d = 0; d < devices; d++) {
        if (d < first)
            rows[d] = low;
        else
            rows[d] = low + 1;
    }
    for (int d = 0; d < devices; d++)
        between<<<(rows[d] + 63) / 64, 64>>>(a, 0, rows[d]); // tried: between<<<16, 64>>>(low=0, high=1000)
}
__global__ void boxed(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[2 * i] = 1;
}
struct Extents { int x, y; };
void boxes(float *a, Extents size) {
    auto over = [](auto whole, auto part) { return dim3((whole.x - 1) / part.x + 1, (whole.y - 1) / part.y + 1); };
    constexpr auto tile = dim3(16, 8, 1);
    boxed<<<over(size, tile), tile>>>(a, size.x); // tried: boxed<<<(72, 176), (16, 8)>>>(n=1152) | boxed<<<(10, 28), (16, 8)>>>(n=160)
}
