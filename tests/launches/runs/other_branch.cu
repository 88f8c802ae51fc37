// Of two instances the run without arguments launches one: of the other its numbers say nothing.
#include <cstdlib>
template <int SIZE> __global__ void k(float *a, int n) {
    int i = blockIdx.x * SIZE + threadIdx.x;
    if (i < n) a[i] += 1;
}
void go(int size, int n) {
    float *a;
    cudaMalloc(&a, n * sizeof(float));
    dim3 threads(size);
    dim3 grid(n / threads.x);
    if (size == 16)
        k<16><<<grid, threads>>>(a, n);  // tried: k<16><<<20, 16>>>(n=320)
    else
        k<32><<<grid, threads>>>(a, n);  // tried: k<32><<<10, 32>>>(n=320)
}
int main(int argc, char **argv) {
    int size = 32;
    int n = 10 * size;
    if (argc > 1) n = atoi(argv[1]);
    go(size, n);
}
