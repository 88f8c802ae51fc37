// A macro that evaluates its argument twice.
// run: ./app 640
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
#define MX(a, b) ((a) > (b) ? (a) : (b))
int main(int argc, char **argv) {
    int n = 640;
    int q = 3; int m = MX(q++, 2) + q * 100;
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // told: n=640; open: m
}
