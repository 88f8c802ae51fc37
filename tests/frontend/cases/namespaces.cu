// kernels: deep hidden plain fixed
namespace outer {
namespace inner {
__global__ void deep(int *p) { p[0] = 1; }
}  // namespace inner
namespace {
__global__ void hidden(int *p) { p[0] = 2; }
}  // namespace
}  // namespace outer
extern "C" __global__ void plain(int *p) { p[0] = 3; }
static __global__ void fixed(int *p) { p[0] = 4; }
