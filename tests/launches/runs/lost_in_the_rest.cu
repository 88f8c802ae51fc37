// More steps than are followed one by one, and a call that may change anything: what a structure
// that is passed whole holds in the rest is not known, and the source has the word.
#include <map>
#include <string>
struct Params {
    int nx, rate;
};
__global__ void scale(float *a, Params p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.nx) a[i] *= p.rate;
}
class Solver {
  public:
    explicit Solver(const Params &p) : p_(p) { cudaMalloc(&a_, p.nx * sizeof(float)); }
    void step() { scale<<<64, 64>>>(a_, p_); }  // told: p.nx=4096 p.rate=3
    void report(std::map<std::string, int> &to) { to.insert({"nx", p_.nx}); }

  private:
    Params p_;
    float *a_;
};
class Grower {
  public:
    explicit Grower(const Params &p) : p_(p) { cudaMalloc(&a_, p.nx * sizeof(float)); }
    void step() { scale<<<64, 32>>>(a_, p_); }  // open: p.nx
    void report(std::map<std::string, int> &to) { to.insert({"nx", p_.nx++}); }

  private:
    Params p_;
    float *a_;
};
int main() {
    Params p;
    p.nx = 4096;
    p.rate = 3;
    Solver s(p);
    Grower g(p);
    std::map<std::string, int> told;
    for (int it = 1; it <= 400000; ++it) {
        s.step();
        g.step();
        if (it % 200 == 0) {
            s.report(told);
            g.report(told);
        }
    }
}
