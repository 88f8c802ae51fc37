// kernels: k
// A header of another library, which is not there, would declare types whose names say what they are.
#include <elsewhere/types.h>
namespace speech {
using ::int32;
using ::uint64;
struct Lane {
  int32 frames;
  uint64 key;
};
__global__ void k(Lane *lanes) { lanes[threadIdx.x].frames = 1; }
}
