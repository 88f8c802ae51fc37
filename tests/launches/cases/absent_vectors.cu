// The members of a vector that a class out of sight declares are not those of a number's dim3, whose y and z are 1.
#include "absent.h"
__global__ void k(float *a, int w, int h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < w && j < h) a[j * w + i] = h;
}
void launcher(float *a, const int width, const int height) {
    dim3 block(32, 8);
    dim3 grid(width / block.x, height / block.y);
    k<<<grid, block>>>(a, width, height); // tried: k<<<(40, 144), (32, 8)>>>(w=1280, h=1152) | k<<<(3, 20), (32, 8)>>>(w=96, h=160)
}
class Blend : public Base {
  public:
    void run();
};
void Blend::run() { launcher(points, dimensions.x, dimensions.y); }
void shaped(float *a, const dim3 &grid) {
    k<<<grid, 64>>>(a, grid.x, grid.y); // tried: k<<<12, 64>>>(w=12, h=1)
}
void given(float *a) {
    int blocks = 12;
    shaped(a, blocks);
}
