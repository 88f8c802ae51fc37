// What one arm of a branch changes is a formula of both arms: nothing is supposed.
__global__ void plain(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[2 * i] = 1;
}
void counted(float *a, int n) {
    int blocks = n / 192;
    if (n % 192) blocks++;
    plain<<<blocks, 192>>>(a, n); // tried: plain<<<7, 192>>>(n=1280) | plain<<<1, 192>>>(n=96)
}
void axis(float *a, int n, int rest) {
    dim3 grid(n / 768), block(768);
    if (n % 768 != rest) grid.x += 1;
    plain<<<grid, block>>>(a, n); // tried: plain<<<2, 768>>>(n=1280) | plain<<<1, 768>>>(n=96)
}
void flagged(float *a, int n, bool twice) {
    int size = n;
    if (twice) size = 2 * n;
    plain<<<(n + 63) / 64, 64>>>(a, size); // tried: plain<<<20, 64>>>(n=2560) | plain<<<2, 64>>>(n=96)
}
