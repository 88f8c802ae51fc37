// A macro that evaluates its argument once.
// run: ./app 640
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
#define ID(x) ((x) + 1)
int main(int argc, char **argv) {
    int n = 640;
    int q = 3; int m = ID(q++) + q * 100;
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // tried: k<<<10, 64>>>(n=640, m=404); told: n=640 m=404
}
