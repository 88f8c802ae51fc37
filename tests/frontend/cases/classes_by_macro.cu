// A macro of a class that is given the class's members.
// kernels: copied cleared
#include "classes_by_macro.h"

__global__ void copied(held::box<int, false> *boxes) {
  boxes[threadIdx.x] = boxes[threadIdx.x + 1];
}
__global__ void cleared(held::box<int, true> *boxes) { boxes[threadIdx.x].clear(); }
