// A plain copy.
// run: ./app 640
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
struct S { int x = 1; };
int main(int argc, char **argv) {
    int n = 640;
    S s; s.x = 4; S t = s; int m = t.x;
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // tried: k<<<10, 64>>>(n=640, m=4); told: n=640 m=4
}
