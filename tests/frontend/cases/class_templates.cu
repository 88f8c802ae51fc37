// kernels: fill<unsigned, 4> clear<unsigned, Pool> clear<double, Pool> sum<Sphere>
// The arguments of a class template are those of its instances.
struct Pool {
  int used;
};
template <typename T, int N>
__global__ void fill(T *p) {
  p[threadIdx.x * N] = 1;
}
template <typename T, typename A>
__global__ void clear(T *p, A allocator) {
  p[threadIdx.x] = allocator.used;
}
template <typename Key, typename Allocator = Pool>
class Table {
  Key *keys;
  Allocator allocator;

 public:
  void clear_all();
};
template <typename K, typename A>
void Table<K, A>::clear_all() {
  clear<<<1, 64>>>(keys, allocator);
}
template <typename T>
struct Grid {  // Grid<Of> and Grid<These> are none
  T *cells;
  void tell() { printf("Grid<" + (sizeof(T) == 4 ? "float" : "double") + ">, Grid<none>"); }
  void init() { fill<T, 4><<<1, 64>>>(cells); }
};
// An enumerator has the name of a class, and the class that is made stands in another list.
enum class Shape { Sphere, Plane };
struct Sphere {
  __device__ static float term(float x) { return x * x; }
};
template <class F>
__global__ void sum(float *x) {
  x[threadIdx.x] += F::term(x[threadIdx.x]);
}
template <class F>
class Evolver {
 public:
  void run(float *x) { sum<F><<<1, 64>>>(x); }
};
template <class T>
T *make();
auto evolver(Shape shape) {
  return shape == Shape::Sphere ? make<Evolver<Sphere>>() : nullptr;
}
void host() {
  Table<unsigned> table;
  Table<double, Pool> wide;
  table.clear_all();
  Grid<unsigned> grid;
  grid.init();
}
