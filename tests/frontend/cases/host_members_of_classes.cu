// Classes that device code shares with the host have members of C++'s library, which are laid out
// as where nvcc runs; a kernel that uses one of them as the host does is lost, and nobody's error.
// kernels: k sizes
// lost: wrong "push_back"
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct Wrong : std::runtime_error {
  Wrong(const char *what) : std::runtime_error(what) {}
};

struct Parameters {
  std::vector<int> sizes;
  std::string name;
  std::map<std::string, std::vector<float>> table;
  std::function<void(int)> call;
  std::unique_ptr<float> owned;
  std::shared_ptr<float> shared;
  int n;
  __host__ __device__ int size() const { return n; }
  void add(int x) { sizes.push_back(x); }
};

__global__ void k(const Parameters *p, float *out) { out[threadIdx.x] = p->size(); }

__global__ void sizes(int *out) {
  static_assert(sizeof(std::vector<bool>) == 40 && sizeof(std::string) == 32, "libstdc++");
  static_assert(offsetof(Parameters, n) == 24 + 32 + 48 + 32 + 8 + 16, "libstdc++");
  out[threadIdx.x] = sizeof(Parameters);
}

__global__ void wrong(Parameters *p) { p->sizes.push_back(threadIdx.x); }
