// What is pasted from a terminal is no C++; in a comment it may stand: ⏎
// kernels: left right
__global__ void left(float *a) { a[threadIdx.x] = 1; }⏎ // error: 55 `⏎` is no part of C++
__global__ void right(float *a) { a[threadIdx.x] = 2; } /* ⏎ */
