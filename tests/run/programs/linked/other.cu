__constant__ int offset = 5;
__device__ int scale(int i) { return 3 * i; }
