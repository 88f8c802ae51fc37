// Behind loops that only move data, and one that goes on for too long.
// run: ./app 40
#include <cstdlib>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
void step(float *out, const float *in, int n) {
    for (int r = 0; r < 50; r++)
        for (int i = 0; i < 50; i++)
            for (int j = 0; j < 50; j++) {
                if (i > j) out[i] += in[j];
                else out[i] = 0.0f;
            }
}
int halvings = 3;
int main(int argc, char **argv) {
    float *x = (float *)malloc(4000), sum = 0;
    for (int i = 0; i < 8; i++) step(x, x, 8);
    for (long i = 0; i < 100000; i++) x[i] = (float)i / 7;
    int dims[3] = {4, 6, 0}, size = 1, found = 0;
    dims[2] = atoi(argv[1]);
    for (int i = 0; i < 3; i++) size *= dims[i];
    for (int i = 0; i < 90; i++) {
        sum += x[i];
        if (dims[2] == i + 5) found = i;
    }
    while (size > 100) { size /= 2; halvings++; }
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(size + 63) / 64, 64>>>(a, size, halvings + found);  // tried: k<<<1, 64>>>(n=60, m=42); told: n=60 m=42
}
