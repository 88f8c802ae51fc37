// Template arguments from what members of objects are declared as, and what their methods return.
template <typename T> __global__ void d(const T *a, int n) {}
template <typename T, typename F> __global__ void each(T *a, F f) {}
template <typename T> __global__ void w(T s) {}
struct Twice { float by; };
namespace lib {
template <typename T, int N = 4> class Buffer {
public:
    using pointer = T *;
    struct Node { T a; };
    T *data() { return p; }
    const T *data() const { return p; }
    pointer rows() const;
    Node *nodes() { return q; }
    int either(int) { return 1; }
    T either(float) { return p[0]; }
    auto guess() { return p; }
    T const &front() const { return p[0]; }
    T *p;
    Node *q;
    int many[N];
};
struct Scene {
    Buffer<double> points;
    const float *light;
    float gain() const { return 2; }
};
}
template <typename T, typename F> void apply(const lib::Buffer<T> &in, F f) {
    each<<<1, 64>>>(in.data(), f);  // launch: each<float,Twice> grid=(1,1,1) block=(64,1,1)
}
template <typename T> void fill(lib::Buffer<T> &out) {
    d<<<1, 96>>>(out.data(), 3);  // launch: d<int> grid=(1,1,1) block=(96,1,1)
}
template <typename T> void later(Other<T> &in) {
    d<<<1, 32>>>(in.data(), 3);  // launch: d grid=(1,1,1) block=(32,1,1)
}
void host(lib::Buffer<float> &a, lib::Buffer<int, 8> *b, Other<float> &o) {
    apply(a, Twice{2});
    fill(*b);
    lib::Buffer<int> c;
    fill(c);
    later(o);
    d<<<1, 1>>>(a.p, 1);  // launch: d<float> grid=(1,1,1) block=(1,1,1)
    d<<<1, 2>>>(b->rows(), 1);  // launch: d<int> grid=(1,1,1) block=(2,1,1)
    d<<<1, 3>>>(a.nodes(), 1);  // launch: d grid=(1,1,1) block=(3,1,1)
    w<<<1, 4>>>(a.either(1));  // launch: w grid=(1,1,1) block=(4,1,1)
    d<<<1, 5>>>(a.guess(), 1);  // launch: d grid=(1,1,1) block=(5,1,1)
    w<<<1, 6>>>(a.front());  // launch: w<float> grid=(1,1,1) block=(6,1,1)
    d<<<1, 7>>>(a.many, 1);  // launch: d grid=(1,1,1) block=(7,1,1)
    lib::Scene s;
    d<<<1, 8>>>(s.points.data(), 1);  // launch: d<double> grid=(1,1,1) block=(8,1,1)
    d<<<1, 9>>>(s.light, 1);  // launch: d<float> grid=(1,1,1) block=(9,1,1)
    w<<<1, 10>>>(s.gain());  // launch: w<float> grid=(1,1,1) block=(10,1,1)
    w<<<1, 11>>>(s.absent());  // launch: w grid=(1,1,1) block=(11,1,1)
    thrust::device_vector<short> v(8);
    d<<<1, 12>>>(thrust::raw_pointer_cast(v.data()), 1);  // launch: d<short> grid=(1,1,1) block=(12,1,1)
    d<<<1, 14>>>(v.data(), 1);  // launch: d grid=(1,1,1) block=(14,1,1)
    w<<<1, 15>>>(v.data());  // launch: w<thrust::device_ptr<short>> grid=(1,1,1) block=(15,1,1)
    d<<<1, 13>>>(v.begin(), 1);  // launch: d grid=(1,1,1) block=(13,1,1)
}
