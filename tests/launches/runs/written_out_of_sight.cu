// Written by a function out of sight.
// run: ./app 640
#include <cstdlib>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
struct State { int n = 40, m = 3; };
void load(State *s);
int main(int argc, char **argv) {
    State s;
    s.m = atoi(argv[1]);
    load(&s);
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(s.n + 63) / 64, 64>>>(a, s.n, s.m);  // open: n m
}
