#pragma once
#if !WITH_EXTRA
#error "this header is for WITH_EXTRA"
#endif
__device__ inline float extra(float x) { return x + nothing_in_sight(x); }
