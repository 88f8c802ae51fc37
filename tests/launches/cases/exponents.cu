// What the host shifts by, and what it raises 2 to, is small; a difference below zero is no count.
#include <cmath>
#include <cstdlib>

__global__ void parts(float *a, int n, int part) { if (threadIdx.x < n) a[threadIdx.x * part] = 1; }

void shifted(float *a, int bfactor, int levels) {
    int part = 1 << bfactor;
    parts<<<4, 64>>>(a, (int)pow(2, levels), part); // tried: parts<<<4, 64>>>(n=1024, part=1024) | parts<<<4, 64>>>(n=64, part=128)
}

__global__ void few(float *a, int rows, unsigned count) { if (threadIdx.x < count) a[threadIdx.x * rows] = 1; }

void differs(float *a, int rows, int all, int taken) {
    unsigned count = all + 1 - taken;
    few<<<4, 64>>>(a, rows, count); // tried: few<<<4, 64>>>(rows=1280, count=133761) | few<<<4, 64>>>(rows=96, count=21281)
}

__global__ void flat(float *a) { a[threadIdx.x] += 1; }

void open_block(float *a, dim3 block) {
    flat<<<4, block>>>(a); // tried: flat<<<4, 256>>>()
}
