// Sizes of text, in an option loop with its own counter.
// run: ./app -s 320x6
#include <cstdio>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
struct Size { int n = 8, m = 8; };
int main(int argc, char **argv) {
    Size size;
    for (int c; (c = getopt(argc, argv, "s:v")) != -1;)
        if (c == 's' && sscanf(optarg, "%dx%d", &size.n, &size.m) != 2) return 2;
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(size.n + 63) / 64, 64>>>(a, size.n, size.m);  // tried: k<<<5, 64>>>(n=320, m=6); told: n=320 m=6
}
