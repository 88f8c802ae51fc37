// A device lambda before a kernel in two namespaces: the second is still inner's.
// kernels: scale<float, 4>
namespace outer {
namespace inner {

struct Owner {
  int id, first;
};
struct State {
  int at;
  bool whole;
};

void run(Owner *owners, int n) {
  auto key = [owners] __host__ __device__(unsigned slot) {
    return owners[slot / 4].id;
  };
  auto state = [=] __host__ __device__(unsigned slot) {
    const auto owner = owners[slot / 4];
    if (!owner.id) { return State{0, false}; }
    const auto at = owner.first + slot % 4;
    return State{int(at), at < n};
  };
  each(n, key, state);
}

template <class T, int N>
static __global__ void scale(T *p) {
  p[threadIdx.x] *= N;
}

void launch(float *p) { scale<float, 4><<<1, 32>>>(p); }

}  // namespace inner
}  // namespace outer
