// A chain of setters.
// run: ./app 640
#include <cstdlib>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
class Plan {
  public:
    Plan &points(int v) { n_ = v; return *this; }
    Plan &weight(int v) { m_ = v; return *this; }
    void run() const {
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n_ + 63) / 64, 64>>>(a, n_, m_);  // tried: k<<<10, 64>>>(n=640, m=7); told: n=640 m=7
    }
  private:
    int n_ = 10, m_ = 2;
};
int main(int argc, char **argv) {
    Plan plan;
    plan.points(atoi(argv[1])).weight(7);
    plan.run();
}
