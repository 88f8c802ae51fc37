// A static of a template.
// run: ./app 640
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
template <int V> int f() { static int c = 0; c += V; return c; }
int main(int argc, char **argv) {
    int n = 640;
    f<3>(); int m = f<4>();
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // told: n=640; open: m
}
