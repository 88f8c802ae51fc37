// What a destructor writes.
// run: ./app 640
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
int g = 3; struct G { ~G() { g = 8; } };
int main(int argc, char **argv) {
    int n = 640;
    { G x; } int m = g;
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // tried: k<<<10, 64>>>(n=640, m=8); told: n=640 m=8
}
