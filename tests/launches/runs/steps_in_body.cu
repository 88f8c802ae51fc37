// What a loop's body may step besides.
// run: ./app 640
#include <cstdlib>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
int main(int argc, char **argv) {
    int n = 640;
    int m = 1; for (int n = 23; n > 11; n -= 2, m <<= 2) { if (rand() % 2) m += 1; }
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // told: n=640; open: m
}
