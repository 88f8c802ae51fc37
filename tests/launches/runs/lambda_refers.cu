// A lambda that takes by reference.
// run: ./app 640
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
int main(int argc, char **argv) {
    int n = 640;
    int q = 5; auto f = [&] { q += 2; }; f(); int m = q;
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // tried: k<<<10, 64>>>(n=640, m=7); told: n=640 m=7
}
