// Beside a function that counts its calls, and may have been called.
// run: ./app 640
#include <cstdlib>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
int n = 10;
static int turn() { static int t = 1; return t++; }
int main(int argc, char **argv) {
    n = atoi(argv[1]);
    if (rand() > 7) turn();
    int m = turn();
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // told: m=1; open: n
}
