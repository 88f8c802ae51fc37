// A block at its bound asks that what it is the least of is as large.
__global__ void plain(float *a, int n) { a[2 * threadIdx.x * n] += 1; }
void inside(float *a, int n) {
    plain<<<(n + 511) / 512, min(512, n / 4)>>>(a, n);  // tried: plain<<<10, 512>>>(n=5120) | plain<<<4, 512>>>(n=2048)
}
void before(float *a, int n) {
    int threads = min(256, n / 4);
    plain<<<(n + threads - 1) / threads, threads>>>(a, n);  // tried: plain<<<5, 256>>>(n=1280) | plain<<<8, 256>>>(n=2048)
}
