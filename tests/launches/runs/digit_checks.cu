// Checked digit by digit through a pointer.
// run: ./app 960 x1
#include <cstdlib>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
int whole(const char *text) {
    for (; *text != '\0'; text++)
        if (*text < 48 || *text > '9') return 0;
    return 1;
}
int main(int argc, char **argv) {
    int n = 100;
    if (whole(argv[1])) n = atoi(argv[1]);
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, whole(argv[2]));  // tried: k<<<15, 64>>>(n=960, m=0); told: n=960 m=0
}
