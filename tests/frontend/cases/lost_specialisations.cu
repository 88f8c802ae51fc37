// A specialisation that does not compile: the template itself is something else.
// kernels: l m
// lost: k "incomplete type"
template <class T>
struct size_of {
  enum { n = 1 };
};
template <>
struct size_of<int> {
  Unknown of_a_header;
  enum { n = 4 };
};
template <>
struct size_of<short> : size_of<float> {};
__global__ void k(int *p) { p[threadIdx.x] = size_of<int>::n; }
__global__ void l(int *p) { p[threadIdx.x] = size_of<float>::n; }
__global__ void m(int *p) { p[threadIdx.x] = size_of<short>::n; }
