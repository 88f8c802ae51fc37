// A macro for a block, or of a file elsewhere, stands behind a launch without a semicolon: the next
// launch is one all the same. What stands behind a function's head, or in a list, is left.
#include <cstdio>
#include "checks_that_are_elsewhere.h"
#define AFTER_LAUNCH { cudaError_t e = cudaGetLastError(); if (e) { printf("%d\n", e); } }
#define ROW {1, 2}
#define BODY { return 7; }
int seven() BODY
static const int rows[2][2] = {ROW, ROW};
__global__ void first(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += 1;
}
__global__ void second(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += 2;
}
__global__ void third(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += rows[1][1];
}
void run(float *a) {
    first<<<4, 250>>>(a, 1000);  // tried: first<<<4, 250>>>(n=1000)
    AFTER_LAUNCH

    second<<<8, 125>>>(a, 1000);  // tried: second<<<8, 125>>>(n=1000)
    CHECK_OF_ELSEWHERE

    third<<<20, 50>>>(a, 1000);  // tried: third<<<20, 50>>>(n=1000)
    AFTER_LAUNCH
}
int main() {
    float *a;
    cudaMalloc(&a, 4000);
    run(a);
    return seven();
}
