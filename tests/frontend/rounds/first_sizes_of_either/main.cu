// What there is for `int64_t` and for `long long` says that these are two types, as they are where
// nvcc runs: at once.
// kernels: sizes
// calls: 1
template <class T> struct code_of;
#define CODE(type, number) \
  template <> struct code_of<type> { static constexpr int value = number; };
CODE(int64_t, 1)
CODE(long long, 2)
__global__ void sizes(int *a) { a[0] = code_of<int64_t>::value + code_of<long long>::value; }
