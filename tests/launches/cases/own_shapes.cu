// A grid or block that an object holds, which its constructor makes at once or axis by axis.
#include <cmath>
__global__ void add(float *a, int n) { a[threadIdx.x] += n; }
class ShapedAtOnce {
    dim3 grid, block;
    float *a;
  public:
    ShapedAtOnce(int n) {
        block = dim3(512);
        grid = dim3(std::ceil(n / block.x));
        add<<<grid, block>>>(a, n); // tried: add<<<8, 512>>>(n=4096)
    }
};
class ShapedByAxis {
    dim3 grid, block;
    float *a;
  public:
    ShapedByAxis(int w, int h) {
        block.x = 16;
        block.y = 8;
        grid.x = (w + block.x - 1) / block.x;
        grid.y = (h + block.y - 1) / block.y;
    }
    void run() { add<<<grid, block>>>(a, 1); } // tried: add<<<(40, 60), (16, 8)>>>(n=1)
};
class ShapedLater { // another method changes what the constructor sets
    dim3 block;
    float *a;
  public:
    ShapedLater() { block.x = 96; }
    void widen(int n) { block.x = n; }
    void run() { add<<<3, block>>>(a, 2); } // tried: add<<<3, 32>>>(n=2)
};
int main() {
    ShapedAtOnce shaped(4096);
    ShapedByAxis byAxis(640, 480);
    byAxis.run();
    ShapedLater later;
    later.widen(32);
    later.run();
}
