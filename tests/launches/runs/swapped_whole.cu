// Structures that are passed whole and change places: what their fields have alike is read.
#include <utility>
struct Lattice {
    float *data;
    int cell, dir;
    float scale;
};
__global__ void k(Lattice f, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) f.data[i * f.cell + f.dir] *= f.scale;
}
static Lattice lattice(int n, float scale) {
    Lattice l;
    cudaMalloc(&l.data, n * 9 * 4);
    l.cell = 9;
    l.dir = 1;
    l.scale = scale;
    return l;
}
int main() {
    int n = 4096;
    Lattice f = lattice(n, 1.5f), g = lattice(n, 2.5f);
    for (int s = 0; s < 300; s++) {
        k<<<64, 64>>>(f, n);  // open: f.scale; told: f.cell=9 f.dir=1 n=4096
        std::swap(f, g);
    }
}
