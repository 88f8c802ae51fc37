// Functions that classes define as their friends are the host's as others are, and gone before the
// compiler is asked; one of device code is there.
// kernels: add
// calls: 1
#include <ostream>
struct Hit {
  float x, y;
  friend std::ostream &operator<<(std::ostream &out, const Hit &hit) {
    return out << "(" << hit.x << ", " << hit.y << ")" << std::endl;
  }
  template <class S> friend S &save(S &stream, const Hit &hit) { return stream.write(&hit); }
  friend __device__ Hit operator+(Hit a, Hit b) { return {a.x + b.x, a.y + b.y}; }
};
__global__ void add(Hit *a, const Hit *b) { a[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }
