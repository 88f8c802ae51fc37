// Template arguments, as a compiler outside the host function would need them.
typedef unsigned int uint;
template <int B, typename T> __global__ void k(T *a, int n) {}
template <typename T> __global__ void d(const T *a, T s) {}
template <typename T> __global__ void w(T s) {}
template <typename A, typename B = int> __global__ void v(A *a) {}
template <typename T, bool B> __global__ void c(T *a, std::bool_constant<B>) {}
enum { E = 5 };
template <typename T> struct Pair { T a; };
struct Config {
    using Real = double;
    static constexpr int B = 96;
    void run(Real *a) {
        k<B, Real><<<1, B>>>(a, 1);  // launch: k<96,double> grid=(1,1,1) block=(96,1,1)
    }
};
template <typename T> void run(T *p, int n) {
    d<<<1, 64>>>(p, p[0]);  // launch: d<double> grid=(1,1,1) block=(64,1,1) | d<float> grid=(1,1,1) block=(64,1,1)
    d<T><<<2, 64>>>(p, 1);  // launch: d<double> grid=(2,1,1) block=(64,1,1) | d<float> grid=(2,1,1) block=(64,1,1)
}
template <int N, typename T> void sized(T *p) {
    constexpr int M = N * 2;
    k<M><<<1, M>>>(p, 3);  // launch: k<32,double> grid=(1,1,1) block=(32,1,1)
}
void host(float *f, double *g, int n) {
    const uint BM = 128;
    static const int Q = 3;
    constexpr int Z = BM / 2;
    using T = float;
    using P = Pair<T>;
    k<BM, T><<<1, BM>>>(f, 1);  // launch: k<128,float> grid=(1,1,1) block=(128,1,1)
    k<BM><<<1, 1>>>(g, 1);  // launch: k<128,double> grid=(1,1,1) block=(1,1,1)
    k<Q + E, Pair<T>><<<1, 1>>>((Pair<float> *)f, 1);  // launch: k<8,Pair<float>> grid=(1,1,1) block=(1,1,1)
    k<Z, P><<<1, 1>>>((P *)f, 1);  // launch: k<64,Pair<float>> grid=(1,1,1) block=(1,1,1)
    run(g, 3);
    run<float>(f, 3);
    sized<16>(g);
    d<<<1, 1>>>(f + 3, 0.f);  // launch: d<float> grid=(1,1,1) block=(1,1,1)
    d<<<1, 1>>>(&g[2], 0.);  // launch: d<double> grid=(1,1,1) block=(1,1,1)
    d<<<1, 1>>>(static_cast<const P *>(nullptr), P{});  // launch: d<Pair<float>> grid=(1,1,1) block=(1,1,1)
    w<<<1, 1>>>(1.0f);  // launch: w<float> grid=(1,1,1) block=(1,1,1)
    w<<<1, 1>>>(n);  // launch: w<int> grid=(1,1,1) block=(1,1,1)
    v<<<1, 1>>>(f);  // launch: v<float> grid=(1,1,1) block=(1,1,1)
    c<<<1, 1>>>(f, std::bool_constant<false>{});  // launch: c<float,false> grid=(1,1,1) block=(1,1,1)
    auto unknown = lookup(n);
    w<<<1, 1>>>(unknown);  // launch: w grid=(1,1,1) block=(1,1,1)
    k<n, float><<<1, 1>>>(f, 1);  // launch: k<?> grid=(1,1,1) block=(1,1,1)
}
