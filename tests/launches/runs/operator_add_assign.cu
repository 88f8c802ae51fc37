// Operator+=.
// run: ./app 640
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
struct S { int x = 1; S &operator+=(int o) { x += 2 * o; return *this; } };
int main(int argc, char **argv) {
    int n = 640;
    S s; s += 4; int m = s.x;
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // told: n=640; open: m
}
