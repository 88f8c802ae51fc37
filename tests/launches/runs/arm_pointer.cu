// What an arm that no turn seen takes writes through a pointer of its own.
// run: ./app 640
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
int main(int argc, char **argv) {
    int n = 640;
    int m = 1; for (int i = 0; i < 90; ++i) { if (i > 80) { int *p = &m; *p = i; } }
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // tried: k<<<10, 64>>>(n=640, m=89); told: n=640 m=89
}
