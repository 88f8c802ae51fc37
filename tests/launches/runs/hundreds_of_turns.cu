// Behind a few hundred turns, each of its own.
// run: ./app 640
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
int main(int argc, char **argv) {
    int n = 640;
    int m = 0; for (int i = 1; i <= 400; ++i) { if (i % 7 == 0) m += 2; if (m > 90) m = i; }
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // tried: k<<<10, 64>>>(n=640, m=400); told: n=640 m=400
}
