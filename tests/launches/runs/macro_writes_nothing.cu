// A macro whose argument writes nothing.
// run: ./app 640
#include <cstdlib>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
#define MX(a, b) ((a) > (b) ? (a) : (b))
int main(int argc, char **argv) {
    int n = 640;
    int m = MX(atoi(argv[1]), 2);
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // tried: k<<<10, 64>>>(n=640, m=640); told: n=640 m=640
}
