// Several macros of a header that is not there stand before a function that a kernel calls: they
// are specifiers, and no numbers.
// kernels: scale
// calls: at most 4
// remark: LIB_DEVICE_FUNC is defined nowhere: taken to be empty
// remark: LIB_ALWAYS_INLINE is defined nowhere: taken to be empty
#include "not_here.h"
template <typename T>
LIB_DEVICE_FUNC LIB_ALWAYS_INLINE void twice(T *a, int i) {
  a[i] *= 2;
}
__global__ void scale(float *a) { twice(a, threadIdx.x); }
