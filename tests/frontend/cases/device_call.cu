// kernels: k
// remark: `helper` has no `__device__` in sight
#include "absent.h"
namespace ours {
ABSENT_DEVICE int helper(int x);
ABSENT_DEVICE int helper(int x) { return 3 * x; }
}
__global__ void k(int *p) { p[threadIdx.x] = ours::helper(p[threadIdx.x]); }
