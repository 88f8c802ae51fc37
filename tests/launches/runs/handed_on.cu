// What a function hands on to a library by its pointer may be written there; what it shows is not.
#include <cstdio>
#include <cstdlib>
#include <cublas_v2.h>
#define CHECK(call) { int s = (call); if (s) { printf("%d\n", s); exit(1); } }
struct Work { cublasHandle_t handle; double *x; int n; };
__global__ void scale(double *a, double by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= by;
}
int norm(Work *w, int n, const double *x, double *res) {
    CHECK(cublasDnrm2(w->handle, n, x, 1, res));
    return 0;
}
int shown(Work *w, int n, const double *x, double *res) {
    printf("%p\n", res);
    return 0;
}
void run(Work *w) {
    double by = 1.0, kept = 1.0;
    norm(w, w->n, w->x, &by);
    shown(w, w->n, w->x, &kept);
    if (by < 1e-8) by = 1.0;
    scale<<<4, 64>>>(w->x, 1.0 / by, 256);  // open: by
    scale<<<2, 128>>>(w->x, 1.0 / kept, 256);  // told: by=1.0 n=256
}
