// The same launch where the values in sight exclude it, and where they do not: it stands at the latter.
__global__ void scale(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= 2;
}
constexpr int kDimensions = 2;
void run(float *a, int n) {
    if (kDimensions != 2) {
        scale<<<(n + 255) / 256, 256>>>(a, n);
    } else {
        scale<<<(n + 255) / 256, 256>>>(a, n);  // tried: scale<<<5, 256>>>(n=1280) | scale<<<1, 256>>>(n=96)
    }
}
