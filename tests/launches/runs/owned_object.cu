// An object that owns what it is made of.
// run: ./app 1280
#include <cstdlib>
#include <memory>
#include <vector>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
struct Cloud {
    std::vector<float> x;
    explicit Cloud(int n) : x(n) {}
    int size() const { return (int)x.size(); }
};
class Solver {
    const Cloud &from_;
    std::unique_ptr<Cloud> to_;
  public:
    Solver(const Cloud &from, int other) : from_(from), to_(std::make_unique<Cloud>(other)) {}
    void run() {
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(from_.size() + 63) / 64, 64>>>(a, from_.size(), to_->size());  // tried: k<<<20, 64>>>(n=1280, m=12); told: n=1280 m=12
    }
};
int main(int argc, char **argv) {
    Cloud cloud(atoi(argv[1]));
    Solver solver(cloud, 12);
    solver.run();
}
