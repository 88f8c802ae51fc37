// What a function writes to `p[0]` is what its caller's variable is afterwards.
__global__ void k(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += 1;
}
void shape(unsigned *threads, unsigned *blocks, int n, int sm) {
    int t, b;
    if (n > sm * 8) {
        t = 192;
        b = (n + t - 1) / t;
    } else {
        t = 32;
        b = n;
    }
    threads[0] = t;
    blocks[0] = b;
}
void launch(float *a) {
    unsigned block = 1, grid = 1;
    shape(&block, &grid, 9600, 108);
    k<<<grid, block>>>(a, 9600);  // tried: k<<<50, 192>>>(n=9600)
}
