// What a program must be told, or it ends, is none of its default; another option's default is.
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
__global__ void k(float *a, double rate, int n, int steps) { a[threadIdx.x] = rate * n + steps; }
int main(int argc, char **argv) {
    double rate = -1;
    int n = 0, steps = 640, c;
    while ((c = getopt(argc, argv, "r:n:s:")) != -1) {
        if (c == 'r') rate = atof(optarg);
        if (c == 'n') n = atoi(optarg);
        if (c == 's') steps = atoi(optarg);
    }
    if (rate == -1 || n <= 0) {
        printf("-r and -n are required\n");
        exit(1);
    }
    float *a;
    cudaMalloc(&a, 4000);
    k<<<64, 64>>>(a, rate, n, steps);  // told: steps=640; open: rate n
}
