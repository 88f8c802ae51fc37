// More steps than are followed one by one. A method that fills a vector it is given changes the
// vector, and not what its object was made with.
#include <cstring>
#include <vector>
struct Params {
    int nx, probes;
};
__global__ void sample(const float *a, const int *at, float *out, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = a[at[i]];
}
__global__ void scale(float *a, Params p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.nx) a[i] *= p.probes;
}
__global__ void sum(const float *a, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, a[i]);
}
static void take(const float *a, const int *at, float *out, const Params &p) {
    sample<<<1, 32>>>(a, at, out, p.probes);  // told: n=4
}
class Solver {
  public:
    explicit Solver(const Params &p) : p_(p) {
        cudaMalloc(&a_, p.nx * sizeof(float));
        cudaMalloc(&at_, p.probes * sizeof(int));
        cudaMalloc(&out_, p.probes * sizeof(float));
    }
    void step() { take(a_, at_, out_, p_); }
    void read(std::vector<float> &to) {
        to.resize(p_.probes);
        to[0] = 0;
        cudaMemcpy(to.data(), out_, to.size() * sizeof(float), cudaMemcpyDeviceToHost);
        sum<<<64, 64>>>(to.data(), out_, to.size());  // told: n=4
    }

  private:
    Params p_;
    float *a_, *out_;
    int *at_;
};
class Grower {
  public:
    explicit Grower(const Params &p) : p_(p) { cudaMalloc(&a_, 1 << 20); }
    void step() { scale<<<64, 64>>>(a_, p_); }  // open: p.nx
    void grow(Params &p) { p.nx += 1, p_ = p; }

  private:
    Params p_;
    float *a_;
};
int main() {
    Params p;
    memset(&p, 0, sizeof(p));
    p.nx = 4096;
    std::vector<int> at;
    for (int i = 1; i <= 4; ++i) at.push_back(i * p.nx / 5);
    p.probes = (int)at.size();
    Solver s(p);
    Grower g(p);
    std::vector<float> values;
    for (int it = 1; it <= 400000; ++it) {
        s.step();
        g.step();
        if (it % 200 == 0) {
            s.read(values);
            g.grow(p);
        }
    }
}
