// A function of a namespace that is defined by its whole name sets what it is given the address of.
#include <cstdlib>
namespace shapes {
void set(dim3 *shape, int x, int y, int z);
}
__global__ void k(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i]++;
}
void shapes::
set(dim3 *shape, int x, int y, int z) {
    shape->x = x;
    shape->y = y;
    shape->z = z;
}
void apply(int *a, int n) {
    dim3 grid, block;
    const int threads = 96;
    shapes::set(&grid, n / threads + 1, 1, 1);
    shapes::set(&block, threads, 2, 1);
    k<<<grid, block>>>(a, n);  // computed: grid
}
