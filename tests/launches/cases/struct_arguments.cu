// Structs that are passed by value: each of their fields is read as a scalar argument is.
#include <cstdlib>
#include <vector>
typedef struct { int w, h; float scale; } Size;
struct Image { float *data; Size size; int pitch; int2 origin; };
class Grid {
public:
    Grid(int n) : n_(n), m_(2 * n) {}
    __host__ __device__ int n() const { return n_; }
    static const int dimensions = 2;
    int n_, m_;
    double dx = 0.5;
};
struct Flags { bool on; unsigned char kind; short s; long long big; };
template <typename T> struct View { T *p; int n; };
struct Virtual { virtual int n() { return 1; } int m; };
struct Bits { int a : 3; int b; };

__global__ void image(Image im) { im.data[threadIdx.x * im.pitch + im.origin.x] = im.size.scale * im.size.h; }
__global__ void grid(Grid g, float *o) { if (threadIdx.x < g.n()) { o[threadIdx.x * g.m_] = g.dx; } }
__global__ void flags(Flags f, float *o) { if (f.on) { o[threadIdx.x] = f.kind + f.s + f.big; } }
__global__ void view(View<float> v) { if (threadIdx.x < v.n) { v.p[threadIdx.x] = 1; } }
__global__ void size(const Size s, float *o) { if (threadIdx.x < s.w) { o[threadIdx.x * s.h] = s.scale; } }
__global__ void moved(Virtual v, Bits b, float *o) { o[threadIdx.x] = v.m + b.b; }
template <typename F> __global__ void each(int n, F f) { if (threadIdx.x < n) { f(threadIdx.x); } }
struct Gather {
    const float *from;
    float *to;
    int stride;
    __device__ void operator()(int i) const { to[i] = from[i * stride]; }
};
template <typename F> void for_each(int n, F f) {
    each<<<n / 64, 64>>>(n, f);  // tried: each<Gather><<<16, 64>>>(n=1024)
    // passed: f.from=4,800 bytes, f.to=4,800 bytes, f.stride=16
}
struct Config { int nx = 256, ny = 128, nz = 64; dim3 block{8, 4}; };
__global__ void given(Config c, float *o) { o[threadIdx.x] = c.nx + c.ny + c.nz + c.block.x; }
struct Simulation {
    Config config;
    Simulation(const Config &c) : config(c) {}
    void step(float *o) {
        dim3 blocks(config.nx / config.block.x, config.ny / config.block.y, config.nz);
        given<<<blocks, config.block>>>(config, o);  // tried: given<<<(32, 32, 64), (8, 4)>>>()
        // passed: c.nx=256, c.ny=128, c.nz=64, c.block.x=8, c.block.y=4, c.block.z=1
    }
};

Size make(int w) { Size s; s.w = w; s.h = w / 2; s.scale = 1.0f; return s; }
void by_reference(const Size &s, float *o) {
    size<<<s.w / 64, 64>>>(s, o);  // tried: size<<<4, 64>>>()
    // passed: s.w=256, s.h=2, s.scale=0
}

int main(int argc, char **argv) {
    Image im;
    im.size.w = 640;
    im.size.h = 480;
    im.size.scale = 0.5f;
    im.pitch = im.size.w + 32;
    im.origin = make_int2(4, 5);
    cudaMalloc(&im.data, im.pitch * im.size.h * sizeof(float));
    image<<<5, 128>>>(im);  // tried: image<<<5, 128>>>()
    // passed: im.data=1,290,240 bytes, im.size.w=640, im.size.h=480, im.size.scale=0.5, im.pitch=672, im.origin.x=4, im.origin.y=5
    std::vector<float> values(im.size.w * im.size.h);
    int rows = 40, columns = 30;
    std::vector<float> table(rows * columns);
    for (int i = 0; i < rows * columns; i++) { table[i] = i; }
    float *o;
    cudaMalloc(&o, table.size() * sizeof(float));
    Grid g(300);
    grid<<<3, 128>>>(g, o);  // tried: grid<<<3, 128>>>()
    // passed: g.n_=300, g.m_=600, g.dx=0.5, o=4,800 bytes
    Flags f = {true, 7, -9, 1LL << 33};
    flags<<<2, 128>>>(f, o);  // tried: flags<<<2, 128>>>()
    // passed: f.on=1, f.kind=7, f.s=-9, f.big=8589934592
    View<float> v{o, 1000};
    view<<<8, 128>>>(v);  // tried: view<<<8, 128>>>()
    // passed: v.p=4,800 bytes, v.n=1000
    size<<<4, 128>>>(make(512), o);  // tried: size<<<4, 128>>>()
    // passed: s.w=512, s.h=256, s.scale=1.0
    size<<<4, 160>>>(Size{atoi(argv[1]), 4, 1.5f}, o);  // tried: size<<<4, 160>>>()
    // passed: s.w=1152, s.h=4, s.scale=1.5
    Size z = {256, 2};
    by_reference(z, o);
    flags<<<1, 64>>>(Flags{2, 300, 70000, 1}, o);  // tried: flags<<<1, 64>>>()
    // passed: f.on=1, f.kind=44, f.s=4464, f.big=1
    size<<<1, 64>>>(Size{5000000000, 1, 1e300}, o);  // tried: size<<<1, 64>>>()
    // passed: s.w=705032704, s.h=1, s.scale=inf
    for_each(1024, Gather{o, o, 16});
    Simulation simulation{Config()};
    simulation.step(o);
    moved<<<1, 32>>>(Virtual(), Bits{1, 2}, o);  // tried: moved<<<1, 32>>>()
    // passed: v=struct, b=struct
}
