// Set for certain after all.
// run: ./app 5
#include <cstdlib>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
struct State { int n = 40, m = 3; };
void step(State &s) { if (rand() % 7 > 2) s.n = 80; }
int main(int argc, char **argv) {
    State s;
    step(s);
    s.n = 256;
    s.m = atoi(argv[1]);
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(s.n + 63) / 64, 64>>>(a, s.n, s.m);  // tried: k<<<4, 64>>>(n=256, m=5); told: n=256 m=5
}
