// What was chosen to hold is asked of all numbers of a launch.
#include <cstdio>
#include <cstdlib>
__global__ void plain(float *a, int n, int rest) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[2 * i] += rest;
}
void split(float *a, int n) {
    unsigned mark = n > 11 ? n - 10 : 2;
    plain<<<96, 64>>>(a, n, n - mark); // tried: plain<<<96, 64>>>(n=11, rest=9)
}
int program(int argc, char **argv) {
    int n = 8;
    if (argc < 2) {
        printf("8 by default");
    } else {
        n = atoi(argv[1]);
        if (n <= 1 || n > 32) {
            return 0;
        }
    }
    split(nullptr, n);
}
void parts(float *a, FILE *file) {
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    int n = ftell(file) / 8;
    int blocks = (n + 511) / 512;
    if (blocks > prop.maxGridSize[0]) blocks = prop.maxGridSize[0];
    int part = 1024000;
    if (part > n) part = n;
    plain<<<blocks, 512>>>(a, part, 1); // tried: plain<<<24000, 512>>>(n=1024000, rest=1) | plain<<<6000, 512>>>(n=1024000, rest=1)
}
int length(FILE *file) {
    fseek(file, 0, SEEK_END);
    return ftell(file);
}
void files(float *a, FILE *text, FILE *key) {
    int n = length(text), keys = length(key);
    if (keys != 16) return;
    plain<<<(n + 63) / 64, 64>>>(a, n, keys); // tried: plain<<<20, 64>>>(n=1280, rest=16) | plain<<<2, 64>>>(n=96, rest=16)
}
