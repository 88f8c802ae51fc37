// A difference of unsigned numbers below zero.
// run: ./app 5
#include <cstdlib>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
int main(int argc, char **argv) {
    unsigned few = atoi(argv[1]);
    int n = 64, m = 1;
    if (few - 10 > 0) m = 2;
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // tried: k<<<1, 64>>>(n=64, m=2); told: n=64 m=2
}
