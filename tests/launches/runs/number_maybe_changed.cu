// A number that a function may change.
// run: ./app 640
#include <cstdlib>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
void step(int &n) { while (rand() % 7 > 2) n += 8; }
int main(int argc, char **argv) {
    int n = 40, m = atoi(argv[1]);
    step(n);
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // told: m=640; open: n
}
