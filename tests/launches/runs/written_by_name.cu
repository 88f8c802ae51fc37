// What a function in a loop of many turns may write through what it is handed is not told.
#include <cstdio>
#include <cstdlib>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
struct Field {
    int n, m;
    double *data;
};
void change(Field *f) {
    f->n += 1;
}
void step(Field *f) {
    float *a;
    cudaMalloc(&a, 4096);
    k<<<64, 64>>>(a, f->n, f->m);  // open: n; told: m=4
}
int main(int argc, char **argv) {
    int turns = argc > 1 ? atoi(argv[1]) : 700;
    Field field;
    field.n = 100;
    field.m = 4;
    for (int at = 1; at <= turns; at++) {
        change(&field);
        step(&field);
    }
}
