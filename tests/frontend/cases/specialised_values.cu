// kernels: scored<int, Strategy::kFirst>? defaulted<unsigned, 32, Strategy::kFirst>? known<Strategy::kLast>? typed<Row>? both<Row, 2, Strategy::kFirst>? empty<float, 24>? plain<16>? first<16>? first_of<8>? unasked<float, 16>? based<16>? constant? less<float>?
// remark: scored<int, Strategy::kFirst> was assumed
// Nobody launches these: what their parameters are handed to is specialised for some arguments.
#include <functional>
struct Row {
  float left, right;
};
namespace std {
template <> struct less<Row> {
  __device__ bool operator()(const Row &a, const Row &b) const { return a.left < b.left; }
};
}
// A library's takes more than what is added to it here.
template <class T> __global__ void less(const T *a, int *out) {
  out[threadIdx.x] = std::less<T>()(a[threadIdx.x], a[0]);
}
namespace table {
struct Strategy {
  enum Kind { kFirst = 103, kLast = 105 };
};
template <class K, int S> struct Score;
template <class K> struct Score<K, Strategy::kFirst> {
  static __device__ K of(K key) { return key & 7; }
};
template <class K> struct Score<K, Strategy::kLast> {
  static __device__ K of(K key) { return key | 7; }
};
// A strategy, and a key of whole numbers.
template <class K, int S> __global__ void scored(K *keys) {
  using Mine = Score<K, S>;
  keys[threadIdx.x] = Mine::of(keys[threadIdx.x]);
}
// None is for the default.
template <class K = unsigned, int N = 32, int S = -1> __global__ void defaulted(K *keys) {
  keys[threadIdx.x] = Score<K, S>::of(keys[threadIdx.x] + N);
}
// A default for which there is one stays.
template <int S = Strategy::kLast> __global__ void constant(int *keys) {
  keys[threadIdx.x] = Score<int, S>::of(keys[threadIdx.x]);
}
// Only what is specialised for this type.
template <class T, int S> struct Mean;
template <> struct Mean<float, Strategy::kFirst> {
  static __device__ float of(float a) { return a; }
};
template <> struct Mean<Row, Strategy::kLast> {
  static __device__ float of(Row a) { return a.left + a.right; }
};
template <int S> __global__ void known(const Row *rows, float *out) {
  out[threadIdx.x] = Mean<Row, S>::of(rows[threadIdx.x]);
}
} // namespace table
// A class of which something is asked.
template <class T> struct Width;
template <> struct Width<Row> {
  static constexpr int value = 2;
};
template <class T> __global__ void typed(T *rows) {
  rows[threadIdx.x].left = Width<T>::value;
}
// Types and numbers that belong together, and another template's.
template <class T, int N> struct Chunk;
template <> struct Chunk<Row, 2> {
  Row part[2];
};
template <> struct Chunk<int, 4> {
  int part[4];
};
template <class T, int N, int S> __global__ void both(Chunk<T, N> *chunks, int *keys) {
  chunks[threadIdx.x].part[0].left = table::Score<int, S>::of(keys[threadIdx.x]);
}
// A definition without members is none.
template <class T, int N> struct Empty {
  static_assert(N > 0, "some");
};
template <> struct Empty<float, 24> {
  using type = float2;
};
template <class T, int N> __global__ void empty(T *out) {
  typename Empty<T, N>::type mine{};
  out[threadIdx.x] = mine.x;
}
// What takes any number has no need of the one that is done otherwise,
template <int N> struct Plain {
  static constexpr int value = N;
};
template <> struct Plain<7> {
  static constexpr int value = 8;
};
template <int N> __global__ void plain(int *out) { out[threadIdx.x] = Plain<N>::value; }
// nor what inherits all it has,
template <int N> struct Based : Plain<N> {};
template <> struct Based<7> {
  static constexpr int value = 9;
};
template <int N> __global__ void based(int *out) { out[threadIdx.x] = Based<N>::value; }
// nor a kernel that hands its parameter to a tag.
template <class T, int N> struct Tag {};
template <> struct Tag<float, 3> {
  static constexpr int value = 9;
};
template <class T, int N> __global__ void unasked(Tag<T, N> tag, T *out) { out[threadIdx.x] = N; }
// The number that is tried anyway, if it is one of several,
template <int N> struct Power;
template <> struct Power<8> {
  static constexpr int value = 3;
};
template <> struct Power<16> {
  static constexpr int value = 4;
};
template <int N> __global__ void first(int *out) { out[threadIdx.x] = Power<N>::value; }
// and the first of others.
template <int N> struct Root;
template <> struct Root<8> {
  static constexpr int value = 3;
};
template <> struct Root<64> {
  static constexpr int value = 4;
};
template <int N> __global__ void first_of(int *out) { out[threadIdx.x] = Root<N>::value; }
