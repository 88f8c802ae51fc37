// What a grid is declared with is no default where a function out of sight fills it before the launch; what options
// may change is one.
__global__ void k(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = n;
}
void shape(int n, dim3 &grid, dim3 &block);
void told(int argc, char **argv, dim3 *block);
void filled(float *a, int n) {
    dim3 grid(1), block(1);
    shape(n, grid, block);
    k<<<grid, block>>>(a, 7);
}
void kept(float *a, int argc, char **argv) {
    dim3 grid(4), block(96);
    told(argc, argv, &block);
    k<<<grid, block>>>(a, 9); // tried: k<<<4, 96>>>(n=9)
}
