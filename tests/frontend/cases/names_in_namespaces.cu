// kernels: k<P> k2<util::dev<float>> k3<float, (a::Mode)1> k4<inner::Q>
// A type in a launch means what it means in the launch's namespace: outside, no name is known.
namespace a {
struct P {
  float x;
};
enum class Mode { A, B };
namespace util {
template <class T>
struct D {
  using type = T;
};
template <class T>
using dev = typename D<T>::type;
}
namespace inner {
struct Q {
  int x;
};
}
namespace b {
template <class T>
__global__ void k(T *p) {
  p[threadIdx.x] = T();
}
template <class T>
__global__ void k2(T *p) {
  p[threadIdx.x] = T();
}
template <class T, Mode m>
__global__ void k3(T *p) {
  p[threadIdx.x] = m == Mode::A ? T() : T(1);
}
}
void f(P *p, float *q) {
  b::k<P><<<1, 32>>>(p);
  b::k2<util::dev<float>><<<1, 32>>>(q);
  b::k3<float, Mode::B><<<1, 32>>>(q);
}
}
template <class T>
__global__ void k4(T *p) {
  p[threadIdx.x] = T();
}
namespace a {
void g(inner::Q *q) { k4<inner::Q><<<1, 32>>>(q); }
}
