// Times and ratios of C++'s library as a kernel's parameters, beside `using namespace std`.
// kernels: steps doubles
#include <chrono>
#include <cmath>
using namespace std;
using seconds_f = std::chrono::duration<float>;
__global__ void steps(float *p, seconds_f step) { p[threadIdx.x] += step.count(); }
__global__ void doubles(double_t *p, float_t f) { p[threadIdx.x] *= f; }
