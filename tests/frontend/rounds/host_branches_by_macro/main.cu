// A macro that stands for `else if (…) { … }` ends neither the row of conditions nor its function.
// kernels: pack<4> pack<8>
// calls: 1
#include <cassert>
#include <stdexcept>
#define REQUIRE(condition, ...) assert(condition)
template <int bits>
__global__ void pack(unsigned *to, const unsigned *from) {
  to[threadIdx.x] = from[threadIdx.x] >> bits;
}
#define CASE(BITS, FAST)                        \
  else if (bits == BITS && fast == FAST) {      \
    cudaFuncSetAttribute(pack<BITS>,            \
      cudaFuncAttributeMaxDynamicSharedMemorySize, 1024); \
    pack<BITS><<<1, 64>>>(to, from);            \
  }
unsigned *run(unsigned *to, const unsigned *from, int bits, bool fast) {
  REQUIRE(bits > 0, "bits = ", bits);
  if (false) {
  }
  CASE(4, false)
  CASE(4, true)
  CASE(8, false)
  CASE(8, true)
  else {
    REQUIRE(false, "bits = ", bits,
            ", fast = ", fast);
  }

  return to;
}
