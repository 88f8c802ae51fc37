// What the host code asks for is met; what contradicts itself is said.
#include <cassert>
__global__ void plain(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[2 * i] += 1;
}
__global__ void one(float *a, int n) { a[2 * threadIdx.x] += n; }
void at_most(float *a, int n) {
    if (n > 512) return;
    one<<<1, n>>>(a, n); // tried: one<<<1, 256>>>(n=256)
}
void divisible(float *a, int n) {
    assert(n % 48 == 0);
    plain<<<n / 48, 48>>>(a, n); // tried: plain<<<26, 48>>>(n=1248) | plain<<<2, 48>>>(n=96)
}
void power(float *a, int n) {
    if (n <= 0 || (n & (n - 1)) != 0) return;
    plain<<<n / 32, 32>>>(a, n); // tried: plain<<<32, 32>>>(n=1024) | plain<<<2, 32>>>(n=64)
}
void chosen(float *a, int n) {
    if (n < 100000)
        plain<<<(n + 63) / 64, 64>>>(a, n); // tried: plain<<<20, 64>>>(n=1280) | plain<<<2, 64>>>(n=96)
    else
        plain<<<(n + 511) / 512, 512>>>(a, n); // tried: plain<<<196, 512>>>(n=100000)
}
void impossible(float *a, int n) {
    assert(n < 8);
    assert(n > 8);
    plain<<<1, 64>>>(a, n); // tried: plain<<<1, 64>>>(n=1280) | plain<<<1, 64>>>(n=96) contradicts
}
