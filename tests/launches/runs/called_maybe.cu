// Beside functions that write nothing else, called on conditions that nobody knows.
// run: ./app 640
#include <cstdlib>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
int n = 10, m = 2;
static float unit() { return (rand() + 0.5f) / ((float)RAND_MAX + 1.0f); }
static float spread(float at) {
    float found[2] = {unit(), 0};
    found[1] = found[0] * at;
    for (int i = 0; i < 3; i++) found[1] += unit();
    return found[1];
}
int main(int argc, char **argv) {
    n = atoi(argv[1]);
    float r = unit();
    if (r > 0.5f) r = spread(r);
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // tried: k<<<10, 64>>>(n=640, m=2); told: n=640 m=2
}
