// What reading cannot tell is invented at the roots; all else is computed of these.
__global__ void half(float *a, int n, int half) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < half) a[i] += a[n - 1 - i];
}
__global__ void plain(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[2 * i] += 1;
}
__global__ void rows(float *a, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) a[y * width + x] *= 2;
}
__global__ void groups(float *a, int hidden, int per_group, int groups) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < hidden) a[i % groups * per_group + i / groups] = 0;
}
__global__ void between(float *a, int lo, int hi, float least, float most) {
    int i = lo + blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= lo && i < hi && a[i] >= least && a[i] < most) a[i] = 0;
}
__global__ void sorted(float *a, int n, int down) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && down == 1) a[i] = -a[i];
}
__global__ void ring(float *a, const float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = b[(i + 1) & (n - 1)];
}
__global__ void permute(float *q, const float *in, int B, int N, int NH, int d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < B * N * NH * d) q[i] = in[i % (B * N) * NH * d + i / (B * N)];
}
enum Mode { NEAREST = 3, LINEAR = 7 };
__global__ void scaled(float *a, int mode) { a[threadIdx.x] *= mode; }
struct Size { int width, height; };
int measured(const char *name);

void computed(float *a, int n) {
    int h = n / 2;
    half<<<(h + 255) / 256, 256>>>(a, n, h); // tried: half<<<3, 256>>>(n=1280, half=640) | half<<<1, 256>>>(n=96, half=48)
}
void member(float *a, const Size *size) {
    dim3 block(32, 8), grid((size->width + 31) / 32, (size->height + 7) / 8);
    rows<<<grid, block>>>(a, size->width, size->height); // tried: rows<<<(40, 144), (32, 8)>>>(width=1280, height=1152) | rows<<<(3, 20), (32, 8)>>>(width=96, height=160)
}
void a_call(float *a) {
    int n = measured("x");
    plain<<<n / 128, 128>>>(a, n); // tried: plain<<<10, 128>>>(n=1280) | plain<<<48, 128>>>(n=6144)
}
void quotient(float *a, int hidden, int count) {
    groups<<<(hidden + 255) / 256, 256>>>(a, hidden, hidden / count, count); // tried: groups<<<432, 256>>>(hidden=110592, per_group=96, groups=1152) | groups<<<60, 256>>>(hidden=15360, per_group=96, groups=160)
}
void range(float *a, int lo, int hi, float least, float most) {
    between<<<4, 256>>>(a, lo, hi, least, most); // tried: between<<<4, 256>>>(lo=32, hi=1024, least=0.0, most=1.75) | between<<<4, 256>>>(lo=24, hi=3072, least=0.0, most=1.75)
}
void direction(float *a, int n, int down) {
    sorted<<<(n + 255) / 256, 256>>>(a, n, down); // tried: sorted<<<5, 256>>>(n=1280, down=1) | sorted<<<1, 256>>>(n=96, down=0)
}
void power(float *a, const float *b, int n) {
    ring<<<8, 128>>>(a, b, n); // tried: ring<<<8, 128>>>(n=1024) | ring<<<8, 128>>>(n=64)
}
void enumerated(float *a, Mode mode) {
    scaled<<<1, 256>>>(a, mode); // tried: scaled<<<1, 256>>>(mode=3) | scaled<<<1, 256>>>(mode=7)
}
void four_factors(float *a, const float *b, int B, int N, int NH, int d) {
    int total = B * N * NH * d;
    permute<<<(total + 255) / 256, 256>>>(a, b, B, N, NH, d); // tried: permute<<<15120, 256>>>(B=24, N=40, NH=56, d=72) | permute<<<15120, 256>>>(B=56, N=24, NH=72, d=40)
}
void a_part(float *a, int n) {
    plain<<<216, 256>>>(a, n / 29); // tried: plain<<<216, 256>>>(n=2824) | plain<<<216, 256>>>(n=211)
}
