// Asked of a text by a function out of sight.
// run: ./app 7
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
int isWhole(const char *text);
int main(int argc, char **argv) {
    int m = isWhole(argv[1]);
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(640 + 63) / 64, 64>>>(a, 640, m);  // told: n=640; open: m
}
