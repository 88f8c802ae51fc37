// Behind a loop of more turns than are counted.
// run: ./app 640
#include <cstdio>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
int main(int argc, char **argv) {
    int n = 640;
    int m = 1; for (int i = 0; i < 90000; ++i, m += 2) { puts("on"); }
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // told: n=640; open: m
}
