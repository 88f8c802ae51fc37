// Beside a function whose own callee writes.
// run: ./app 640
#include <cstdlib>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
int n = 10, m = 2;
static float unit() { m++; return rand() / 7.0f; }
static float spread(float at) { return unit() * at; }
int main(int argc, char **argv) {
    n = atoi(argv[1]);
    float r = rand() / 3.0f;
    if (r > 0.5f) r = spread(r);
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // open: n m
}
