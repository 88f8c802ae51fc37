// Templates of C++'s library that the sources specialise, beside others of it.
// kernels: k
#include <complex>
#include <functional>
#include <tuple>
struct Row {
  int a, b;
};
namespace std {
template <>
struct less<Row> {
  __host__ __device__ bool operator()(const Row &p, const Row &q) const { return p.a < q.a; }
};
template <> struct tuple_size<Row> { enum { value = 2 }; };
template <>
class complex<Row> {
 public:
  __host__ __device__ complex(Row a) : r(a) {}
  __host__ __device__ Row real() const { return r; }

 private:
  Row r;
};
}  // namespace std
__global__ void k(int *p) {
  const std::complex<Row> c(Row{p[0], p[1]});
  const std::complex<float> d(1.f, 2.f);
  p[2] = std::less<Row>()(c.real(), Row{2, 3}) + (int)d.imag() + std::tuple_size<Row>::value;
  p[3] = std::less<int>()(p[0], 1);
}
