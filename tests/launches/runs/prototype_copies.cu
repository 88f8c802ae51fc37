// A prototype that takes a copy.
// run: ./app 640
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
int fill(float **data, int m);
int main(int argc, char **argv) {
    int n = 640;
    float *data; int m = 7; fill(&data, m);
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // tried: k<<<10, 64>>>(n=640, m=7); told: n=640 m=7
}
