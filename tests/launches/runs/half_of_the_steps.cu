// A loop gets half of what may be done: what it does not change is told in it, and what follows it.
// run: ./app 400
#include <cstdio>
#include <cstdlib>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
int chain(int n) {
    int s = 0;
    for (int i = 0; i < 90; ++i) { s += n * i; if (s > 9) s %= 9; }
    return s;
}
int main(int argc, char **argv) {
    const int n = atoi(argv[1]);
    char name[64];
    float *a;
    cudaMalloc(&a, n * sizeof(float));
    int got = 0, m = 7;
    for (int turn = 0; turn < 98; turn++) {
        for (int i = 0; i < 40; ++i) got += chain(got + i);
        snprintf(name, sizeof(name), "%d_%d", n, turn);
        k<<<(n + 63) / 64, 64>>>(a, n, 3);  // told: n=400
        k<<<(n + 31) / 32, 32>>>(a, n, got);
    }
    k<<<(n + 127) / 128, 128>>>(a, n, m);  // tried: k<<<4, 128>>>(n=400, m=7)
}
