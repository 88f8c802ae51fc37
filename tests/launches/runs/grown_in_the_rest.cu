#include <vector>
#include <cuda_runtime.h>

__global__ void scale(float *a, int n) { int i = threadIdx.x; if (i < n) a[i] *= 2; }
__global__ void copy(float *a, int n) { int i = threadIdx.x; if (i < n) a[i] = i; }

static void append(std::vector<int> &v) { v.push_back(1); }

// What is grown in turns that stand for others has another size in some of these.
class Swarm {
  public:
    Swarm() : items_(3), width_(8), height_(4) { cudaMalloc(&a_, 4096); }
    void grow() { append(items_); width_ += 1; }
    int rows() const { return height_ * 2; }
    void step() {
        scale<<<1, 64>>>(a_, (int)items_.size());  // open: n
        copy<<<1, 64>>>(a_, rows());  // told: n=8
    }

  private:
    std::vector<int> items_;
    int width_, height_;
    float *a_;
};

int main() {
    Swarm swarm;
    for (int it = 1; it <= 400000; ++it) {
        swarm.step();
        if (it % 200 == 0) swarm.grow();
    }
}
