// A lambda that takes one by value.
// run: ./app 640
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
int main(int argc, char **argv) {
    int n = 640;
    int q = 5; auto f = [q] { return q; }; q = 9; int m = f();
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // tried: k<<<10, 64>>>(n=640, m=5); told: n=640 m=5
}
