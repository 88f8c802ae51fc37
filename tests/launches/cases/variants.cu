// Of branches that the build chooses among by a number, each is launched for some number.
#define WIDE 64
__global__ void first(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[2 * i] = 1; }
__global__ void second(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[2 * i] = 2; }
__global__ void third(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[2 * i] = 3; }
__global__ void plain(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[2 * i] = 4; }
void run(float *a) {
#if VARIANT == 1
    first<<<WIDE, 128>>>(a, 8192); // tried: first<<<64, 128>>>(n=8192)
#elif VARIANT == 2
    second<<<WIDE, 64>>>(a, 4096); // tried: second<<<64, 64>>>(n=4096)
#elif VARIANT == 3
    third<<<WIDE, 32>>>(a, 2048); // tried: third<<<64, 32>>>(n=2048)
#endif
}
// One that has a branch for all other numbers runs that.
void otherwise(float *a) {
#if KIND == 1
    plain<<<1, 32>>>(a, 32);
#elif KIND == 2
    plain<<<2, 32>>>(a, 64);
#else
    plain<<<3, 32>>>(a, 96); // tried: plain<<<3, 32>>>(n=96)
#endif
}
// And one of which another branch does nothing runs nothing.
void perhaps(float *a) {
#if DEBUG == 1
    plain<<<4, 32>>>(a, 128);
#elif DEBUG == 2
    a = 0;
#endif
}
