// What registers host classes wants no header: of more. The classes' bases are wide: each round
// the compiler found the headers of some of them.
// kernels: k<float>
// calls: 2
#include "base0.h"
#include "base1.h"
#include "base2.h"
#include "base3.h"
#include "base4.h"
#include "base5.h"
#include "base6.h"
template <class T> struct Runner : base6 { T value; };
#define REGISTER(...) registry::add("k").with<Runner<__VA_ARGS__>>();
template <class T> __global__ void k(T *p) { p[threadIdx.x] = 1; }
void run(float *p) { k<float><<<1, 32>>>(p); }
REGISTER(kGpu, float);
REGISTER(kGpu, int);
