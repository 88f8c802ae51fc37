// What is written to what a function hands out a reference to is not what it was; its neighbours are.
#include <cstdlib>
__global__ void k(int *a, int n, int m) {
    int i = threadIdx.x;
    if (i < n) a[i] += m;
}
struct Size {
    int x, y;
    int &wide() { return x; }
};
struct Grid { Size inner; };
int &second(Grid &g, int &q) { return q; }
int &within(Grid &g) { return g.inner.x; }
int main() {
    int *a;
    cudaMalloc(&a, 4096);
    Size size;
    size.x = 2;
    size.y = 3;
    size.wide() = rand();
    Grid grid;
    grid.inner.x = 5;
    grid.inner.y = 8;
    int q = 4, z = 6;
    second(grid, q) = rand();
    within(grid) = rand();
    k<<<1, 32>>>(a, size.x, size.y);  // told: m=3; open: n
    k<<<2, 32>>>(a, q, z);  // told: m=6; open: n
    k<<<3, 32>>>(a, grid.inner.x, grid.inner.y);  // told: m=8; open: n
}
