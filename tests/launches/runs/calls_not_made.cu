// A function that the run calls, and that another one calls which it never comes to.
__global__ void k(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += 1;
}
int blocks_of(int amount, int threads) { return (amount + threads - 1) / threads; }
void fill(float *a, int m) {
    int blocks = blocks_of(m, 256);
    k<<<blocks, 256>>>(a, m);  // told: grid=1 n=100
}
void on_timer(float *a, int more) {
    int blocks = blocks_of(more, 256);
    k<<<blocks, 256>>>(a, more);  // open: grid n
}
int main() {
    float *a;
    cudaMalloc(&a, 4000);
    fill(a, 100);
}
