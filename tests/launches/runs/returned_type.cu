// What a function returns is of its type.
// run: ./app 640
#include <cstdlib>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
int part(int n) { return n * 0.3; }
bool has(int n) { return n; }
int main(int argc, char **argv) {
    int n = atoi(argv[1]), m = 0;
    m = part(7) * 10 + has(6);
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // tried: k<<<10, 64>>>(n=640, m=21); told: n=640 m=21
}
