// Changed where a function may have returned, and copied.
// run: ./app 640
#include <cstdlib>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
struct State { int n, m = 3; };
void step(State &s) {
    if (rand() % 7 > 2) return;
    s.m++;
}
void show(State s) {
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(s.n + 63) / 64, 64>>>(a, s.n, s.m);  // told: n=640; open: m
}
int main(int argc, char **argv) {
    State s;
    s.n = atoi(argv[1]);
    step(s);
    show(s);
}
