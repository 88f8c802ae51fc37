// Sizes as real ones are: a tensor of four extents has no 10^9 elements, and a number that is called
// the threads of a block is one.

__global__ void convolve(const float *in, float *out, int n, int h, int w) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        out[i] = in[i / w % h * w];
    }
}
void run(const float *in, float *out, int batch, int channels, int h, int w) {
    int n = batch * channels * h * w;
    convolve<<<min((n + 255) / 256, 4096), 256>>>(in, out, n, h, w);  // tried: convolve<<<4096, 256>>>(n=3870720, h=56, w=72) | convolve<<<4096, 256>>>(n=3870720, h=72, w=40)
}

__global__ void rows(float *x, int n, int num_threads) {
    for (int i = threadIdx.x; i < n; i += num_threads) x[blockIdx.x * n + i] = 1;
}
void each(float *x, int n, int num_threads) {
    rows<<<n / 4, 128>>>(x, n, num_threads);  // tried: rows<<<320, 128>>>(n=1280, num_threads=256) | rows<<<24, 128>>>(n=96, num_threads=128)
}

// Two extents are what they were.
void images(const float *in, float *out, int h, int w) {
    convolve<<<min((h * w + 255) / 256, 4096), 256>>>(in, out, h * w, h, w);  // tried: convolve<<<4096, 256>>>(n=1474560, h=1280, w=1152) | convolve<<<60, 256>>>(n=15360, h=96, w=160)
}

// Nor are all sizes small because a product of some would be too large.
__global__ void frames(float *x, int n, int most, int h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[min(i * h, most)] = 1;
}
void film(float *x, int n, int w, int h, int count) {
    frames<<<(n + 255) / 256, 256>>>(x, n, w * h * count, h);  // tried: frames<<<5, 256>>>(n=1280, most=33030144, h=448) | frames<<<1, 256>>>(n=96, most=10321920, h=224)
}

// A block that is computed of what is invented has whole warps, if any number makes it so.
__global__ void pieces(float *x, int w, int h) { x[blockIdx.x * w + threadIdx.x * h] = 1; }
void cut(float *x, int n, int w, int h, int depth, int count) {
    pieces<<<n * w * h * depth * count / 65536, n / 2>>>(x, w, h);  // tried: pieces<<<28080, 128>>>(w=24, h=72)
}
__global__ void odd(float *x, int w) { x[blockIdx.x * w + threadIdx.x] = 1; }
void one_more(float *x, int n, int w) {
    odd<<<w, n + 1>>>(x, w);  // tried: odd<<<1280, 257>>>(w=1280)
}
