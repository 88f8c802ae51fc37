// Written through pointers into an array.
// run: ./app 640
#include <cstdlib>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
void fill(int *to) { *to++ = 8; *to = 9; }
int main(int argc, char **argv) {
    int n = atoi(argv[1]), m = 0;
    int q[4] = {1, 2, 3, 4}, *p = q;
    *p = 5;
    *(q + 1) = 6;
    p += 2;
    fill(p--);
    m = q[0] * 1000 + *p * 100 + q[2] * 10 + q[3];
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // tried: k<<<10, 64>>>(n=640, m=5689); told: n=640 m=5689
}
