// Device functions without underscores, which CUDA's headers had until version 8 and code of then
// still calls (CUDA 8's device_functions.h). They are templates so that the program's own of such
// a name is none the less its own.
#pragma once
#define PERFLINT_LEGACY template <typename = void> __device__ __forceinline__
PERFLINT_LEGACY int float_as_int(float a) { return __float_as_int(a); }
PERFLINT_LEGACY unsigned float_as_uint(float a) { return __float_as_uint(a); }
PERFLINT_LEGACY float int_as_float(int a) { return __int_as_float(a); }
PERFLINT_LEGACY float uint_as_float(unsigned a) { return __uint_as_float(a); }
PERFLINT_LEGACY float int2float(int a) { return __int2float_rn(a); }
PERFLINT_LEGACY float uint2float(unsigned a) { return __uint2float_rn(a); }
PERFLINT_LEGACY int float2int(float a) { return __float2int_rz(a); }
PERFLINT_LEGACY unsigned float2uint(float a) { return __float2uint_rz(a); }
PERFLINT_LEGACY int mul24(int a, int b) { return __mul24(a, b); }
PERFLINT_LEGACY unsigned umul24(unsigned a, unsigned b) { return __umul24(a, b); }
PERFLINT_LEGACY int mulhi(int a, int b) { return __mulhi(a, b); }
PERFLINT_LEGACY unsigned umulhi(unsigned a, unsigned b) { return __umulhi(a, b); }
PERFLINT_LEGACY long long mul64hi(long long a, long long b) { return __mul64hi(a, b); }
PERFLINT_LEGACY unsigned long long umul64hi(unsigned long long a, unsigned long long b) {
    return __umul64hi(a, b);
}
PERFLINT_LEGACY float saturate(float a) { return __saturatef(a); }
#undef PERFLINT_LEGACY
