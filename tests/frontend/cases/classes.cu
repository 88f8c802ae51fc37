// kernels: walk
#include <string>
#include <vector>
struct __align__(16) Particle {
  float x, y, z, w;
};
class Grid {
 public:
  Grid(int n) : n_(n), names_(0) { host_only(); }
  __host__ __device__ int size() const { return n_; }
  void host_only() { std::vector<int> v(n_); }
  std::string name(std::ostream &out) const;
  static constexpr int limit() { return 64; }

 private:
  int n_;
  int names_;
};
__global__ void walk(Particle *p, Grid g) {
  if (threadIdx.x < g.size() && threadIdx.x < Grid::limit()) p[threadIdx.x].x = 0;
}
