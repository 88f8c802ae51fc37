// Launches that are not written `k<<<…>>>(…);` in plain sight.
namespace inner {
__global__ void k(int n, float *a) {}
template <int B> __global__ void t(int n) {}
}
#define LAUNCH(kernel, n, ...) kernel<<<DIV(n, 64), 64>>>(n, __VA_ARGS__)
#define DIV(a, b) (((a) + (b)-1) / (b))
#define CHECKED(call) do { call; check(__LINE__); } while (0)
#define WITH_LOCALS(n) { dim3 block(n, 2); inner::k<<<1, block>>>(n, p); }
#define SHAPE 2, 96
#define NOT_USED(k) k<<<1, 7>>>()

struct Runner {
    static const int BLOCK = 48;
    float *p;
    void run() {
        inner::k<<<1, BLOCK>>>(1, p);  // launch: k grid=(1,1,1) block=(48,1,1) n=1
    }
    void operator()(int n);
};
void Runner::operator()(int n) {
    inner::k<<<1, 4>>>(n, p);  // launch: k grid=(1,1,1) block=(4,1,1) n=?
}
extern "C" void c_linkage(float *p) {
    int size = 1000;
    LAUNCH(inner::k, size, p);  // launch: k grid=(16,1,1) block=(64,1,1) n=1000
    CHECKED((inner::k<<<2, 3>>>(size, p)));  // launch: k grid=(2,1,1) block=(3,1,1) n=1000
    WITH_LOCALS(40)  // launch: k grid=(1,1,1) block=(40,2,1) n=40
    inner::t<size_t(8)><<<1, 8>>>(5);  // launch: t<8> grid=(1,1,1) block=(8,1,1) n=5
    void *arguments[] = {&size, (void *)&p};
    dim3 grid(9), block(16, 16);
    cudaLaunchKernel((void *)inner::k, grid, block, arguments, 128, 0);  // launch: k grid=(9,1,1) block=(16,16,1) shared=128 n=1000
    cudaLaunchConfig_t config = {0};
    config.gridDim = dim3(3, 3);
    config.blockDim = 256;
    config.dynamicSmemBytes = 1 << 10;
    cudaLaunchKernelEx(&config, inner::k, size * 2, p);  // launch: k grid=(3,3,1) block=(256,1,1) shared=1024 n=2000
#if 0
    inner::k<<<1, 999>>>(size, p);
#endif
#ifdef NOT_DEFINED_ANYWHERE
    inner::k<<<1, 998>>>(size, p);
#else
    inner::k<<<1, 33>>>(size, p);  // launch: k grid=(1,1,1) block=(33,1,1)
#endif
    // inner::k<<<1, 997>>>(size, p);
    puts("inner::k<<<1, 996>>>(size, p);");
}

// Macros in macros, and functions that are made by macros at the margin.
template <int B> __global__ void shaped(int n) {}
#define COOPERATIVE(k, block, ...) \
    void *given[] = {__VA_ARGS__}; \
    if (wide) cudaLaunchCooperativeKernel((const void *)k, dim3(8), dim3(block), given, 0, 0); \
    else cudaLaunchKernel((const void *)k, dim3(4), dim3(block), given, 0, 0)
#define COOPERATIVE_EITHER(k, ...) do { COOPERATIVE(k, 96, __VA_ARGS__); } while (0)
#define DEFINE(B) void run_##B(int n) { auto kernel = shaped<B>; kernel<<<2, B>>>(n); }
#define DEFINE_BOTH(B, C) DEFINE(B) DEFINE(C)
void cooperative(bool wide)
{
    int n = 5;
    COOPERATIVE_EITHER(shaped<3>, &n);  // launch: shaped<3> grid=(8,1,1) block=(96,1,1) | shaped<3> grid=(4,1,1) block=(96,1,1)
}
DEFINE_BOTH(64, /* and */ 128)  // launch: shaped<64> grid=(2,1,1) block=(64,1,1) | shaped<128> grid=(2,1,1) block=(128,1,1)
