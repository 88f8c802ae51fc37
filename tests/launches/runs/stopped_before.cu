// The run gives up in the second call of `measure`: what it read in the first is not what the launch
// is made with each time. `finish` is yet to be called again. `begin` is not.
#include <cuda_runtime.h>
__global__ void mark(float *a, int n) { a[threadIdx.x] += n; }
__global__ void last(float *a, int n) { a[threadIdx.x] -= n; }
__global__ void first(float *a, int n) { a[threadIdx.x] = n; }
int sizes[3];
int nest(int deep) { return deep ? nest(deep - 1) + 1 : 0; }
void begin(int kind, float *a) {
    int size = sizes[kind];
    first<<<2, size>>>(a, size);  // tried: first<<<2, 32>>>(n=32)
}
void measure(int kind, float *a) {
    int size = sizes[kind];
    nest(kind * 100);
    mark<<<3, 64>>>(a, size);  // open: n
}
void finish(int kind, float *a) {
    int size = sizes[kind];
    last<<<4, 64>>>(a, size);  // open: n
}
int main() {
    float *a;
    cudaMalloc(&a, 4096);
    for (int i = 0; i < 3; i++) sizes[i] = 32 << i;
    begin(0, a);
    finish(0, a);
    measure(0, a);
    measure(1, a);
    finish(1, a);
}
