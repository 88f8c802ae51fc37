// Operator[].
// run: ./app 640
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
struct S { int d[3] = {1, 2, 3}; int &operator[](int o) { return d[o]; } };
int main(int argc, char **argv) {
    int n = 640;
    S s; s[1] = 7; int m = s.d[1];
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // told: n=640; open: m
}
