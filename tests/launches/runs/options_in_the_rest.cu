// run: ./app -n 8192
// More steps than are followed one by one, and a call that may change anything: the source has the
// word of what is not known in the rest, and that is what the program is run with, no default.
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
struct Params {
    int nx = 4096, rate = 3;
};
__global__ void scale(float *a, Params p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.nx) a[i] *= p.rate;
}
class Solver {
  public:
    explicit Solver(const Params &p) : p_(p) { cudaMalloc(&a_, p.nx * sizeof(float)); }
    void step() { scale<<<64, 64>>>(a_, p_); }  // told: p.nx=8192 p.rate=3
    void report(std::map<std::string, int> &to) { to.insert({"nx", p_.nx}); }

  private:
    Params p_;
    float *a_;
};
int main(int argc, char **argv) {
    Params p;
    for (int i = 1; i < argc; ++i)
        if (!strcmp(argv[i], "-n")) p.nx = atoi(argv[++i]);
    Solver s(p);
    std::map<std::string, int> told;
    for (int it = 1; it <= 400000; ++it) {
        s.step();
        if (it % 200 == 0) s.report(told);
    }
}
