// One call is enough for: of pairs and what a pair is of.
// kernels: k
// calls: 1
#include <utility>
__device__ std::pair<int, float> both(int i) { return std::make_pair(i, float(i)); }
__global__ void k(float *p) { p[threadIdx.x] = both(threadIdx.x).second; }
