#include <vector>
namespace core { using std::vector; using std::cout;
struct Shape { vector<int> sizes; int rank; __device__ int n() { return rank; }
  friend bool operator==(Shape &a, Shape &b) { return a.sizes == b.sizes; }
}; }
