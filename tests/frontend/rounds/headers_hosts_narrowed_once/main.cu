// Headers of the hosts are narrowed at once. A name that a kernel has of its own wants nothing of
// theirs, however long the chain.
// kernels: k
// calls: 2
#include "part0.h"
#include "part1.h"
#include "part2.h"
#include "part3.h"
#include "part4.h"
#include "part5.h"
#include "part6.h"
#include "part7.h"
#include "part8.h"
__global__ void k(float *p, int n) { int row8 = n; p[row8] = threadIdx.x; }
