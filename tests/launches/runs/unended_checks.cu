// A macro that stands for statements ends one, with or without a semicolon, comments or not.
#include <cstdio>
#include <cstdlib>
#define CHECK(call) { int s = (call); if (s) { printf("%d\n", s); exit(1); } }
#define TWICE(x) ((x) * 2)
typedef struct { int n, m; float *d; } Work;
__global__ void k(float *a, int n, int m) {
    int i = threadIdx.x;
    if (i < n) a[i] *= m;
}
void set_up(Work *w)
/* the buffers */
{
    // one
    CHECK(cudaMalloc(&w->d, 4096))
    /* and another, */
    w->n = 15;
    if (w->n > 4) CHECK(cudaMemset(w->d, 0, 4096))
    w->m = TWICE(w->n)
         + 1;
}
int main() {
    Work w;
    set_up(&w);
    k<<<1, 32>>>(w.d, w.n, w.m);  // told: n=15 m=31
}
