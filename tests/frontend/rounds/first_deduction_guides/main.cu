// A deduction guide is no prototype of the host's: device code goes by it.
// kernels: swap
// calls: 1
template <class T> struct pair2 {
  T x, y;
};
template <class T> pair2(T x, T y) -> pair2<T>;
__global__ void swap(float *a) {
  pair2 p{a[1], a[0]};
  a[0] = p.x;
  a[1] = p.y;
}
