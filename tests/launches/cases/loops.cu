// Loops and steps that compute a launch's numbers, followed by counted turns.
__global__ void plain(float *a, int n) { a[2 * threadIdx.x * n] = 1; }
__global__ void guarded(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[2 * i] = 1;
}
unsigned int next_power(unsigned int x) {
    --x;
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    return ++x;
}
int doubled(int n) {
    int x = 1;
    while (x < n) x <<= 1;
    return x;
}
int floor_power(int n) {
    int result = 1;
    for (int i = 1; i <= n; i *= 2) { result = i; }
    return result;
}
int logarithm(int n) {
    int count = 0;
    while (n >>= 1) count++;
    return count;
}
int lowest(int n) {
    int found = 0;
    for (;;) {
        if (n % 2) break;
        n /= 2;
        ++found;
    }
    return found;
}
int divided(int a, int b) { return a % b ? a / b + 1 : a / b; }
void fixed(float *a) {
    plain<<<next_power(100), doubled(33)>>>(a, logarithm(1000)); // tried: plain<<<128, 64>>>(n=9)
    plain<<<floor_power(100), 32>>>(a, lowest(96)); // tried: plain<<<64, 32>>>(n=5)
    int threads = 1;
    do { threads *= 2; } while (threads * threads < 5000);
    plain<<<divided(1000, threads), threads>>>(a, 1); // tried: plain<<<8, 128>>>(n=1)
    dim3 grid(10, 2);
    grid.x *= 4;
    grid.y++;
    plain<<<grid, 64>>>(a, 1); // tried: plain<<<(40, 3), 64>>>(n=1)
    int sum = 0;
    for (int i = 0; i < 10; i++) {
        int twice = 2 * i;
        if (twice > 10) sum += twice; else sum += 1;
    }
    plain<<<sum, 64>>>(a, 1); // tried: plain<<<66, 64>>>(n=1)
}
void open(float *a, int n) {
    guarded<<<doubled(n) / 64, 64>>>(a, n); // tried: guarded<<<32, 64>>>(n=1280) | guarded<<<2, 64>>>(n=96)
    guarded<<<next_power(n) / 64, 64>>>(a, n); // tried: guarded<<<32, 64>>>(n=1280) | guarded<<<2, 64>>>(n=96)
    int threads = 512;
    while (threads > n) threads /= 2;
    guarded<<<(n + threads - 1) / threads, 256>>>(a, n); // tried: guarded<<<3, 256>>>(n=1280) | guarded<<<2, 256>>>(n=96)
}
