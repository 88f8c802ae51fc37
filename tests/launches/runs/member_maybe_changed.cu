// A member that a method may change.
// run: ./app 640
#include <cstdlib>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
class Solver {
    int n_ = 40, m_;
  public:
    Solver(int m) : m_(m) {}
    void adapt() { if (rand() % 7 > 2) n_ = 80; }
    void run() {
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n_ + 63) / 64, 64>>>(a, n_, m_);  // told: m=640; open: n
    }
};
int main(int argc, char **argv) {
    Solver solver(atoi(argv[1]));
    solver.adapt();
    solver.run();
}
