// kernels: k
// A host function whose branches stand under conditions, as no parser of declarations takes it.
#include <type_traits>
template <typename T>
int kind_of() {
  if (std::is_same<T, Missing>::value) {
    return missing::HALF;
  }
#ifdef ENABLE_BF16
  else if (std::is_same<T, missing::bfloat16>::value) {
    return missing::BF16;
  }
#endif
  else if (std::is_same<T, float>::value) {
    return missing::FLOAT;
  }
  else {
    return missing::NONE;
  }
}
struct State {
  int of(int a) {
#if defined(FAST)
    if (a) {
      return missing::fast(a);
    }
#else
    for (;;) missing::slow(a);
#endif
  }
};
__global__ void k(float *p) {
#if __CUDA_ARCH__ >= 700
  if (p[0] > 1) {
    p[threadIdx.x] = 1;
  }
#else
  if (p[0] > 2) {
    p[threadIdx.x] = 2;
  }
#endif
  else {
    p[threadIdx.x] = 3;
  }
}
