// Kernels that are chosen: through functions, tables, members, wrappers and lambdas.
#include <type_traits>
typedef void (*Kernel)(float *, int);
template <int N> __global__ void unrolled(float *a, int n) {}
template <typename T> __global__ void typed(T *a, int n) {}
__global__ void plain(float *a, int n) {}
__global__ void fallback(float *a, int n) {}
Kernel pick(int n) {
    if (n < 16) return unrolled<1>;
    if (n < 64) { return &unrolled<4>; }
    return nullptr;
}
Kernel by_size(int n) {
    switch (n) {
        case 8: return &unrolled<8>;
        default: return plain;
    }
}
void *opaque() { return (void *)plain; }
template <typename T> auto of_type() { return &typed<T>; }
template <typename T> auto wider(bool two) {
    return two ? typed<T> : of_type<double>();
}
Kernel stored(bool fast) {
    Kernel result = fallback;
    if (fast) result = plain;
    return result;
}
Kernel table[] = {unrolled<2>, unrolled<3>};
struct Entry { const char *name; Kernel kernel; int threads; };
static const Entry entries[] = {{"one", unrolled<5>, 32}, {"two", unrolled<6>, 64}};
void uses(float *a, int n, int i) {
    auto k = pick(n);
    k<<<8, 1024>>>(a, n);  // launch: unrolled<1> grid=(8,1,1) block=(1024,1,1) | unrolled<4> grid=(8,1,1) block=(1024,1,1)
    pick(3)<<<1, 96>>>(a, 3);  // launch: unrolled<1> grid=(1,1,1) block=(96,1,1)
    by_size(n)<<<1, 32>>>(a, n);  // launch: unrolled<8> grid=(1,1,1) block=(32,1,1) | plain grid=(1,1,1) block=(32,1,1)
    by_size(8)<<<1, 32>>>(a, n);  // launch: unrolled<8> grid=(1,1,1) block=(32,1,1)
    void *args[] = {&a, &n};
    cudaLaunchKernel(opaque(), 4, 128, args, 0, 0);  // launch: plain grid=(4,1,1) block=(128,1,1)
    void *held = opaque();
    cudaLaunchKernel((const void *)held, 4, dim3(64, 2), args, 0, 0);  // launch: plain grid=(4,1,1) block=(64,2,1)
    of_type<int>()<<<1, 16>>>((int *)0, n);  // launch: typed<int> grid=(1,1,1) block=(16,1,1)
    wider<char>(i)<<<1, 16>>>(0, n);  // launch: typed<char> grid=(1,1,1) block=(16,1,1) if `two` | typed<double> grid=(1,1,1) block=(16,1,1) if not `two`
    stored(i)<<<1, 48>>>(a, n);  // launch: plain grid=(1,1,1) block=(48,1,1) if `fast` | fallback grid=(1,1,1) block=(48,1,1)
    table[1]<<<1, 32>>>(a, n);  // launch: unrolled<3> grid=(1,1,1) block=(32,1,1)
    table[i]<<<1, 32>>>(a, n);  // launch: unrolled<2> grid=(1,1,1) block=(32,1,1) | unrolled<3> grid=(1,1,1) block=(32,1,1)
    entries[0].kernel<<<1, 32>>>(a, n);  // launch: unrolled<5> grid=(1,1,1) block=(32,1,1)
    entries[i].kernel<<<1, entries[i].threads>>>(a, n);  // launch: unrolled<5> grid=(1,1,1) block=(32,1,1) | unrolled<6> grid=(1,1,1) block=(64,1,1)
}
struct Plan {
    Kernel kernel = nullptr;
    Kernel other;
    dim3 block;
    Plan(Kernel k, int threads) : kernel(k), block(threads) {}
    void choose() { other = unrolled<7>; }
    void run(float *a) {
        kernel<<<1, block>>>(a, 1);  // launch: unrolled<9> grid=(1,1,1) block=(160,1,1)
        this->other<<<1, 24>>>(a, 1);  // launch: unrolled<7> grid=(1,1,1) block=(24,1,1)
    }
};
struct Config { int blocks; dim3 block; Kernel kernel; };
template <typename F, typename... Args> void wrapper(F f, const Config &c, Args... args) {
    f<<<c.blocks, c.block>>>(args...);  // launch: plain grid=(3,1,1) block=(80,1,1) | unrolled<12> grid=(2,1,1) block=(32,4,1)
}
template <Kernel K, int B> void by_argument(float *a, int n) {
    K<<<1, B>>>(a, n);  // launch: plain grid=(1,1,1) block=(112,1,1) | fallback grid=(1,1,1) block=(144,1,1)
}
template <class Body> void dispatch(int n, Body body) {
    if (n > 8) body(std::integral_constant<int, 256>{});
    else body(std::integral_constant<int, 512>{});
}
void inside(Config *c, float *a) {
    c->kernel<<<c->blocks, c->block>>>(a, 1);  // launch: fallback grid=(9,1,1) block=(5,1,1)
}
void never_called(Kernel k, float *a) { k<<<1, 32>>>(a, 1); }
int program(int argc, char **argv) {
    float *a = nullptr;
    Plan plan(unrolled<9>, 160);
    plan.run(a);
    wrapper(plain, Config{3, dim3(80)}, a, 5);
    wrapper(unrolled<12>, Config{2, dim3(32, 4)}, a, 5);
    by_argument<plain, 112>(a, 1);
    by_argument<&fallback, 144>(a, 1);
    int threads = 176;
    auto launch = [&](Kernel k, int blocks, dim3 block) {
        k<<<blocks, block>>>(a, threads);  // launch: plain grid=(6,1,1) block=(33,1,1) | fallback grid=(7,1,1) block=(34,2,1)
        k<<<1, threads>>>(a, 1);  // launch: plain grid=(1,1,1) block=(176,1,1) | fallback grid=(1,1,1) block=(176,1,1)
    };
    launch(plain, 6, dim3(33));
    launch(&fallback, 7, dim3(34, 2));
    [&](int blocks) { plain<<<blocks, threads>>>(a, 1); }(4);  // launch: plain grid=(4,1,1) block=(176,1,1)
    auto unused = [&](int blocks) { plain<<<blocks, 8>>>(a, 1); };  // launch: plain grid=? block=(8,1,1)
    dispatch(argc, [&](auto size) {
        constexpr int B = size.value;
        unrolled<B><<<1, B>>>(a, 1);  // launch: unrolled<256> grid=(1,1,1) block=(256,1,1) | unrolled<512> grid=(1,1,1) block=(512,1,1)
    });
    auto held = [&](auto size) {
        typed<<<1, size.value>>>(a, 1);  // launch: typed<float> grid=(1,1,1) block=(256,1,1) | typed<float> grid=(1,1,1) block=(512,1,1)
        unrolled<size.value><<<1, 32>>>(a, 1);  // launch: unrolled<256> grid=(1,1,1) block=(32,1,1) | unrolled<512> grid=(1,1,1) block=(32,1,1)
    };
    dispatch(argc, held);
    Config c;
    c.kernel = fallback;
    c.blocks = 9;
    c.block = dim3(5);
    inside(&c, a);
}
