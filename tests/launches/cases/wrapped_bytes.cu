// Bytes that come out below zero, made unsigned, are no size of an array.
#include <cuda_runtime.h>

__global__ void spread(float *a, int rows) { a[threadIdx.x * rows] = 1; }

void between(int from, int to) {
    float *a, *b;
    int length = from - to;
    cudaMalloc(&a, length * sizeof(float));
    cudaMalloc(&b, -length * sizeof(float));
    spread<<<4, 64>>>(a, to);  // tried: spread<<<4, 64>>>(rows=1152) | spread<<<4, 64>>>(rows=160)
    // passed: a=512 bytes
    spread<<<4, 64>>>(b, to);  // tried: spread<<<4, 64>>>(rows=1152) | spread<<<4, 64>>>(rows=160)
    // passed: a=array
}

__global__ void halves(float *a, int rows) { a[threadIdx.x * rows] = 2; }

void half(int rows, unsigned all, unsigned taken) {
    float *a;
    cudaMalloc(&a, (all - 2 * taken) / 2 * sizeof(float));
    halves<<<4, 64>>>(a, rows);  // tried: halves<<<4, 64>>>(rows=1408) | halves<<<4, 64>>>(rows=224)
    // passed: a=array
}

__global__ void padded(float *a, int rows) { a[threadIdx.x * rows] = 3; }

// What wraps on the way and is whole again, and bits that are cut off, are sizes as they stand.
void rounded(unsigned rows) {
    float *a;
    cudaMalloc(&a, ((rows - 2000 + 2255) & ~255u) * sizeof(float));
    padded<<<4, 64>>>(a, rows);  // tried: padded<<<4, 64>>>(rows=1280) | padded<<<4, 64>>>(rows=96)
    // passed: a=5,120 bytes
}

__global__ void constant(float *a, int rows) { a[threadIdx.x * rows] = 4; }

void never(int rows) {
    const int first = 8, last = 4;
    float *a;
    cudaMalloc(&a, (last - first) * sizeof(float));
    constant<<<4, 64>>>(a, rows);  // tried: constant<<<4, 64>>>(rows=1280) | constant<<<4, 64>>>(rows=96)
    // passed: a=array
}
