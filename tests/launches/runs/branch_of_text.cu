// A branch that hangs on a text that the program is told is taken as its run takes it, where that
// does not get to the launch, too.
// run: ./app file sizes.bin
#include <cstdio>
#include <cstring>
char *input_file = NULL;
__global__ void k(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += 1;
}
int deep(int n) { return n > 0 ? deep(n - 1) + 1 : 0; }
int main(int argc, char **argv) {
    for (int at = 1; at < argc; at++)
        if (strcmp(argv[at], "file") == 0) input_file = argv[at + 1];
    float *a;
    cudaMalloc(&a, 4096);
    int n = 100;
    if (input_file != NULL) n = 1000;
    deep(60);
    k<<<(n + 63) / 64, 64>>>(a, n);  // tried: k<<<16, 64>>>(n=1000)
}
