// What stands in for a constant of <math.h> where that has none is not its value: nvcc includes it.
// What a program gives a name of its own, or whatever else is defined, is.
#ifndef NAN
#define NAN ((double)0x7ff8000000000000)
#endif
#ifndef INFINITY
#define INFINITY NAN
#endif
#ifndef BOUND
#define BOUND 1000.0
#endif
__global__ void k(float *a, double below, double bound, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i] < bound && a[i] > below) a[i] += 1;
}
void filter(float *a, double below, double bound, int n) {
    k<<<4, 64>>>(a, below, bound, n);  // told: n=256 bound=1000.0; open: below
}
int main() {
    float *a;
    cudaMalloc(&a, 4096);
    filter(a, -INFINITY, BOUND, 256);
}
