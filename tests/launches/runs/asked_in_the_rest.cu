// What a method makes of fields that change in turns that stand for others is no one number; where
// a grid is made of what it returns, and nothing changes, it stays what it was.
#include <map>
#include <string>
#include <cuda_runtime.h>

__global__ void scale(float *a, int n) { int i = threadIdx.x; if (i < n) a[i] *= 2; }
__global__ void copy(float *a, int n) { int i = threadIdx.x; if (i < n) a[i] = i; }
__global__ void fill(float *a, int n) { int i = threadIdx.x; if (i < n) a[i] = 1; }
__global__ void blur(float *a, int n) { int i = threadIdx.x; if (i < n) a[i] = 1; }

struct Sizes {
    int batch = 4;
    int length = 256;
    int rows() const { return batch * length; }
};

static void by_rows(float *a, const Sizes &s) {
    scale<<<dim3((s.length + 127) / 128, s.batch), 128>>>(a, s.rows());  // told: n=4096
}

class Grid {
  public:
    Grid() : width_(8), height_(4) { cudaMalloc(&a_, 4096); }
    void grow() { width_ += 1; }
    int rows() const { return height_ * 2; }
    int cells() const { return width_ * height_; }
    void step() {
        copy<<<1, 64>>>(a_, rows());  // told: n=8
        fill<<<1, 64>>>(a_, cells());  // open: n
        blur<<<1, 64>>>(a_, this->cells());  // open: n
    }

  private:
    int width_, height_;
    float *a_;
};

static void read(Sizes &s) {
    std::map<std::string, int *> known = {{"batch", &s.batch}, {"length", &s.length}};
    *known["batch"] = 8;
    *known["length"] = 512;
}

int main() {
    Sizes sizes;
    read(sizes);
    Grid grid;
    float *a;
    cudaMalloc(&a, sizes.rows() * sizeof(float));
    for (int it = 1; it <= 400000; ++it) {
        grid.step();
        by_rows(a, sizes);
        if (it % 200 == 0) grid.grow();
    }
}
