// The base's part of an object.
// run: ./app 640
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
struct B { virtual int f() { return 1; } };
struct D : B { int f() override { return 2; } };
int main(int argc, char **argv) {
    int n = 640;
    D d; B b = d; int m = b.f();
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // tried: k<<<10, 64>>>(n=640, m=1); told: n=640 m=1
}
