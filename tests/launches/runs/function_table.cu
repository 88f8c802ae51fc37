// Functions in a table whose structure has no name.
// run: ./app never
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
#include <cstring>
struct State { int n = 40, m = 3; };
static void widen(State &s) { s.n *= 4; }
static void deepen(State &s) { s.m += 2; }
static void never(State &s) { s.n = 7; }
int main(int argc, char **argv) {
    static const struct { const char *name; void (*step)(State &); } steps[] = {
        {"widen", widen}, {"never", never}, {"deepen", &deepen},
    };
    State s;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i)
        if (strcmp(steps[i].name, argv[1])) steps[i].step(s);
    void (*last)(State &) = widen;
    last(s);
    (*last)(s);
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(s.n + 63) / 64, 64>>>(a, s.n, s.m);  // tried: k<<<40, 64>>>(n=2560, m=5); told: n=2560 m=5
}
