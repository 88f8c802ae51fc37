// Whichever function a pointer leads to.
// run: ./app 5
#include <cstdlib>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
struct State { int n = 40, m = 3; };
static void widen(State &s) { s.n *= 4; }
static void deepen(State &s) { s.m += 2; }
int main(int argc, char **argv) {
    State s;
    void (*step)(State &) = rand() % 7 > 2 ? widen : deepen;
    step(s);
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(s.n + 63) / 64, 64>>>(a, s.n, s.m);  // open: n m
}
