// Behind a loop whose head steps several.
// run: ./app 640
#include <cstdio>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
int main(int argc, char **argv) {
    int n = 640;
    int q = 23, m = 1; for (; q > 11; q -= 2, m <<= 2) { puts("on"); }
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // tried: k<<<10, 64>>>(n=640, m=4096); told: n=640 m=4096
}
