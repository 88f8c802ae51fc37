// Included before every source: what device code expects of C's, C++'s and CUDA's host headers.
// NVRTC itself supplies the CUDA built-ins, the mathematical functions, printf, malloc, memcpy.
#pragma once

// What nvcc says of itself, to the device's code too; NVRTC says the rest.
#define __NVCC__ 1
#ifdef __CUDACC_RTC_INT128__
#define __SIZEOF_INT128__ 16
#endif

// What says that GCC compiles the host's code on Linux, where sources insist on knowing (GCC's
// manual, "Common Predefined Macros").
#if defined(PERFLINT_IS_GNU) && !defined(__GNUC__) && !defined(_MSC_VER)
#if __has_include(<cuda/std/__cccl/compiler.h>)
#include <cuda/std/__cccl/compiler.h> // to CUDA's own headers the compiler is what it is
#endif
#define __GNUC__ 12
#define __GNUC_MINOR__ 2
#define __GNUC_PATCHLEVEL__ 0
#ifndef __linux__
#define __linux__ 1
#define __unix__ 1
#endif
#ifndef __x86_64__
#define __x86_64__ 1
#endif
#endif

// C++17 has no `register` any more, but host compilers let it pass.
#define register

// GCC's spellings, which nvcc takes and NVRTC does not.
#define __asm__ asm
#define __volatile__ volatile
#define __extension__
#define __typeof__(...) std::remove_reference_t<decltype(__VA_ARGS__)>
#define __typeof(...) __typeof__(__VA_ARGS__)
#define typeof(...) __typeof__(__VA_ARGS__)

// Where host functions are marked as such by a macro that hides them from whoever takes them out.
#ifdef PERFLINT_HOST_IS_DEVICE
#undef __host__
#define __host__
#endif

// In the place of `__has_include` of what is not the sources' business.
#define __perflint_no(...) 0

// <stdint.h>, <sys/types.h>
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
#ifdef PERFLINT_LONG_IS_64
typedef long int64_t;
typedef unsigned long uint64_t;
#else
typedef long long int64_t;
typedef unsigned long long uint64_t;
#endif
typedef signed char int_least8_t;
typedef unsigned char uint_least8_t;
typedef short int_least16_t;
typedef unsigned short uint_least16_t;
typedef int int_least32_t;
typedef unsigned int uint_least32_t;
typedef signed char int_fast8_t;
typedef unsigned char uint_fast8_t;
typedef long long intptr_t;
typedef unsigned long long uintptr_t;
typedef long long intmax_t;
typedef unsigned long long uintmax_t;
typedef signed char __int8_t;
typedef unsigned char __uint8_t;
typedef short __int16_t;
typedef unsigned short __uint16_t;
typedef int __int32_t;
typedef unsigned int __uint32_t;
typedef int64_t __int64_t;
typedef uint64_t __uint64_t;
typedef long ssize_t;
typedef long off_t;
// <math.h>
typedef float float_t;
typedef double double_t;
typedef unsigned char u_int8_t;
typedef unsigned short u_int16_t;
typedef unsigned int u_int32_t;
typedef unsigned long long u_int64_t;
typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned int u_int;
typedef unsigned long u_long;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef long long time_t;
struct timeval {
  long tv_sec;
  long tv_usec;
};
struct _IO_FILE;
typedef struct _IO_FILE FILE;
typedef unsigned long long CUdeviceptr, CUtexObject, CUsurfObject;

#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 0xffffffffU
#define INT64_MIN (-9223372036854775807LL - 1)
#define INT64_MAX 9223372036854775807LL
#define UINT64_MAX 0xffffffffffffffffULL
#define INTPTR_MAX 9223372036854775807L
#define UINTPTR_MAX 0xffffffffffffffffUL
#define SIZE_MAX 0xffffffffffffffffUL
#define INT64_C(c) c##LL
#define UINT64_C(c) c##ULL
#define INT32_C(c) c
#define UINT32_C(c) c##U

// <limits.h>, <float.h>
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN (-128)
#define CHAR_MAX 127
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 0xffffffffU
#define LONG_MIN (-9223372036854775807L - 1)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 0xffffffffffffffffUL
#define LLONG_MIN (-9223372036854775807LL - 1)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 0xffffffffffffffffULL
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define FLT_MAX_EXP 128
#define FLT_MIN_EXP (-125)
#define FLT_RADIX 2
#define FLT_MAX 3.402823466e+38F
#define FLT_MIN 1.175494351e-38F
#define FLT_EPSILON 1.192092896e-07F
#define DBL_DIG 15
#define DBL_MANT_DIG 53
#define DBL_MAX 1.7976931348623158e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define MAXFLOAT 3.402823466e+38F

// <inttypes.h>, as on Linux
#define PRId8 "d"
#define PRIi8 "i"
#define PRIo8 "o"
#define PRIu8 "u"
#define PRIx8 "x"
#define PRIX8 "X"
#define PRId16 "d"
#define PRIi16 "i"
#define PRIo16 "o"
#define PRIu16 "u"
#define PRIx16 "x"
#define PRIX16 "X"
#define PRId32 "d"
#define PRIi32 "i"
#define PRIo32 "o"
#define PRIu32 "u"
#define PRIx32 "x"
#define PRIX32 "X"
#define PRId64 "ld"
#define PRIi64 "li"
#define PRIo64 "lo"
#define PRIu64 "lu"
#define PRIx64 "lx"
#define PRIX64 "lX"
#define PRIdMAX "ld"
#define PRIiMAX "li"
#define PRIoMAX "lo"
#define PRIuMAX "lu"
#define PRIxMAX "lx"
#define PRIXMAX "lX"
#define PRIdPTR "ld"
#define PRIiPTR "li"
#define PRIoPTR "lo"
#define PRIuPTR "lu"
#define PRIxPTR "lx"
#define PRIXPTR "lX"

// <math.h>
// Constants, as they are to nvcc: `__constant__ float a[] = {NAN};`.
#define __builtin_nanf(tag) __builtin_bit_cast(float, 0x7fffffff)
#define __builtin_nan(tag) __builtin_bit_cast(double, 0x7fffffffffffffffLL)
#define __builtin_inff() __builtin_bit_cast(float, 0x7f800000)
#define __builtin_inf() __builtin_bit_cast(double, 0x7ff0000000000000LL)
#define __builtin_huge_valf() __builtin_inff()
#define __builtin_huge_val() __builtin_inf()
#define PERFLINT_BUILTIN(T, name, T_given, result) \
  __host__ __device__ __forceinline__ T __builtin_##name(T_given x) { return result; }
// Those of bits are constants where what they are given is one.
constexpr __host__ __device__ int perflint_leading(unsigned long long x, int bits) {
  return bits == 0 || (x >> (bits - 1)) != 0 ? 0 : 1 + perflint_leading(x, bits - 1);
}
constexpr __host__ __device__ int perflint_trailing(unsigned long long x, int bits) {
  return bits == 0 || (x & 1) != 0 ? 0 : 1 + perflint_trailing(x >> 1, bits - 1);
}
constexpr __host__ __device__ int perflint_bits(unsigned long long x) {
  return x == 0 ? 0 : (int)(x & 1) + perflint_bits(x >> 1);
}
#define PERFLINT_BITS(name, T_given, constant, result)                           \
  constexpr __host__ __device__ __forceinline__ int __builtin_##name(T_given x) { \
    return __builtin_is_constant_evaluated() ? constant : result;                \
  }
PERFLINT_BITS(clz, unsigned, perflint_leading(x, 32), __clz(x))
PERFLINT_BITS(clzl, unsigned long, perflint_leading(x, 64), __clzll(x))
PERFLINT_BITS(clzll, unsigned long long, perflint_leading(x, 64), __clzll(x))
PERFLINT_BITS(ctz, unsigned, perflint_trailing(x, 32), __ffs(x) - 1)
PERFLINT_BITS(ctzl, unsigned long, perflint_trailing(x, 64), __ffsll(x) - 1)
PERFLINT_BITS(ctzll, unsigned long long, perflint_trailing(x, 64), __ffsll(x) - 1)
PERFLINT_BITS(ffs, int, x ? perflint_trailing(x, 32) + 1 : 0, __ffs(x))
PERFLINT_BITS(ffsll, long long, x ? perflint_trailing(x, 64) + 1 : 0, __ffsll(x))
PERFLINT_BITS(popcount, unsigned, perflint_bits(x), __popc(x))
PERFLINT_BITS(popcountl, unsigned long, perflint_bits(x), __popcll(x))
PERFLINT_BITS(popcountll, unsigned long long, perflint_bits(x), __popcll(x))
PERFLINT_BITS(parity, unsigned, perflint_bits(x) & 1, __popc(x) & 1)
#undef PERFLINT_BITS
PERFLINT_BUILTIN(unsigned, bswap32, unsigned, __byte_perm(x, 0, 0x0123))
PERFLINT_BUILTIN(float, fabsf, float, ::fabsf(x))
PERFLINT_BUILTIN(double, fabs, double, ::fabs(x))
PERFLINT_BUILTIN(float, sqrtf, float, ::sqrtf(x))
PERFLINT_BUILTIN(double, sqrt, double, ::sqrt(x))
#undef PERFLINT_BUILTIN
// Compilers have these under both names, NVRTC under one.
#define __builtin_floor floor
#define __builtin_floorf floorf
#define __builtin_ceil ceil
#define __builtin_ceilf ceilf
#define __builtin_trunc trunc
#define __builtin_truncf truncf
#define __builtin_round round
#define __builtin_roundf roundf
#define __builtin_rint rint
#define __builtin_rintf rintf
#define __builtin_nearbyint nearbyint
#define __builtin_nearbyintf nearbyintf
#define __builtin_exp exp
#define __builtin_expf expf
#define __builtin_exp2 exp2
#define __builtin_exp2f exp2f
#define __builtin_expm1 expm1
#define __builtin_expm1f expm1f
#define __builtin_log log
#define __builtin_logf logf
#define __builtin_log2 log2
#define __builtin_log2f log2f
#define __builtin_log10 log10
#define __builtin_log10f log10f
#define __builtin_log1p log1p
#define __builtin_log1pf log1pf
#define __builtin_sin sin
#define __builtin_sinf sinf
#define __builtin_cos cos
#define __builtin_cosf cosf
#define __builtin_tan tan
#define __builtin_tanf tanf
#define __builtin_asin asin
#define __builtin_asinf asinf
#define __builtin_acos acos
#define __builtin_acosf acosf
#define __builtin_atan atan
#define __builtin_atanf atanf
#define __builtin_atan2 atan2
#define __builtin_atan2f atan2f
#define __builtin_sinh sinh
#define __builtin_sinhf sinhf
#define __builtin_cosh cosh
#define __builtin_coshf coshf
#define __builtin_tanh tanh
#define __builtin_tanhf tanhf
#define __builtin_cbrt cbrt
#define __builtin_cbrtf cbrtf
#define __builtin_erf erf
#define __builtin_erff erff
#define __builtin_erfc erfc
#define __builtin_erfcf erfcf
#define __builtin_pow pow
#define __builtin_powf powf
#define __builtin_fmin fmin
#define __builtin_fminf fminf
#define __builtin_fmax fmax
#define __builtin_fmaxf fmaxf
#define __builtin_fmod fmod
#define __builtin_fmodf fmodf
#define __builtin_fma fma
#define __builtin_fmaf fmaf
#define __builtin_copysign copysign
#define __builtin_copysignf copysignf
#define __builtin_hypot hypot
#define __builtin_hypotf hypotf
#define __builtin_fdim fdim
#define __builtin_fdimf fdimf
#define __builtin_ldexp ldexp
#define __builtin_ldexpf ldexpf
#define __builtin_lround lround
#define __builtin_lroundf lroundf
#define __builtin_lrint lrint
#define __builtin_lrintf lrintf
#define __builtin_memcpy(to, from, n) memcpy(to, from, n)
#define __builtin_memset(to, value, n) memset(to, value, n)
#ifndef INFINITY
#define INFINITY __builtin_inff()
#endif
#ifndef NAN
#define NAN __builtin_nanf("")
#endif
#ifndef HUGE_VALF
#define HUGE_VALF __builtin_inff()
#endif
#ifndef HUGE_VAL
#define HUGE_VAL __builtin_inf()
#endif
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PIf 3.14159265358979323846f
#define M_PIf32 M_PIf
#define M_PIf64 M_PI
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440

// <cmath> (C++11, 26.8 [c.math]): integers, and a float beside a double, are promoted to double.
// NVRTC has the overloads of equal types alone, between which such calls are ambiguous. Calls that
// these overloads fit exactly still choose them.
template <class T>
struct perflint_number {};
template <class T>
struct perflint_whole {};
#define PERFLINT_NUMBER(T)      \
  template <>                   \
  struct perflint_number<T> {   \
    typedef double promoted;    \
  };
#define PERFLINT_WHOLE(T)       \
  PERFLINT_NUMBER(T)            \
  template <>                   \
  struct perflint_whole<T> {    \
    typedef double promoted;    \
  };
PERFLINT_NUMBER(float)
PERFLINT_NUMBER(double)
PERFLINT_WHOLE(bool)
PERFLINT_WHOLE(char)
PERFLINT_WHOLE(signed char)
PERFLINT_WHOLE(unsigned char)
PERFLINT_WHOLE(short)
PERFLINT_WHOLE(unsigned short)
PERFLINT_WHOLE(int)
PERFLINT_WHOLE(unsigned)
PERFLINT_WHOLE(long)
PERFLINT_WHOLE(unsigned long)
PERFLINT_WHOLE(long long)
PERFLINT_WHOLE(unsigned long long)
#undef PERFLINT_WHOLE
#undef PERFLINT_NUMBER
#define PERFLINT_ONE(f)                                                            \
  template <class T>                                                               \
  __host__ __device__ inline typename perflint_whole<T>::promoted f(T x) {         \
    return f((double)x);                                                           \
  }
#define PERFLINT_TWO(f)                                                            \
  template <class T, class U, class = typename perflint_number<U>::promoted>       \
  __host__ __device__ inline typename perflint_number<T>::promoted f(T x, U y) {   \
    return f((double)x, (double)y);                                                \
  }
PERFLINT_ONE(acos)
PERFLINT_ONE(asin)
PERFLINT_ONE(atan)
PERFLINT_ONE(cbrt)
PERFLINT_ONE(ceil)
PERFLINT_ONE(cos)
PERFLINT_ONE(cosh)
PERFLINT_ONE(erf)
PERFLINT_ONE(erfc)
PERFLINT_ONE(exp)
PERFLINT_ONE(exp2)
PERFLINT_ONE(expm1)
PERFLINT_ONE(fabs)
PERFLINT_ONE(floor)
PERFLINT_ONE(log)
PERFLINT_ONE(log10)
PERFLINT_ONE(log1p)
PERFLINT_ONE(log2)
PERFLINT_ONE(rint)
PERFLINT_ONE(round)
PERFLINT_ONE(sin)
PERFLINT_ONE(sinh)
PERFLINT_ONE(sqrt)
PERFLINT_ONE(tan)
PERFLINT_ONE(tanh)
PERFLINT_ONE(trunc)
PERFLINT_TWO(atan2)
PERFLINT_TWO(copysign)
PERFLINT_TWO(fdim)
PERFLINT_TWO(fmax)
PERFLINT_TWO(fmin)
PERFLINT_TWO(fmod)
PERFLINT_TWO(hypot)
PERFLINT_TWO(nextafter)
PERFLINT_TWO(pow)
PERFLINT_TWO(remainder)
#undef PERFLINT_ONE
#undef PERFLINT_TWO
template <class T, class U, class V, class = typename perflint_number<U>::promoted,
          class = typename perflint_number<V>::promoted>
__host__ __device__ inline typename perflint_number<T>::promoted fma(T x, U y, V z) {
  return fma((double)x, (double)y, (double)z);
}

// <stdlib.h>, <stddef.h>, <assert.h>, and the runtime's calling conventions
#define RAND_MAX 2147483647
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
#ifdef NDEBUG
#define assert(e) ((void)0)
#else
#define assert(e) ((e) ? (void)0 : __assertfail(#e, __FILE__, __LINE__, __func__, sizeof(char)))
#endif
// What glibc's <assert.h> calls, with the body that CUDA gives it (crt/device_functions.hpp).
extern "C" __device__ inline void __assert_fail(const char *assertion, const char *file,
                                                unsigned line, const char *function) {
  __assertfail(assertion, file, line, function, sizeof(char));
}
#define CUDART_CB
#define CUDARTAPI
#define CUDA_CB
#define CUDAAPI

// <algorithm>, <cmath>, <limits>, <type_traits>, <utility>: what kernels use of
// them. NVRTC has std::move and std::forward.
// What functions of constants print before they give up, which no kernel does.
#define stderr ((FILE *)0)
#define stdout ((FILE *)0)
template <class... Ts>
__host__ __device__ inline int fprintf(FILE *, const char *, Ts...) {
  return 0;
}
__host__ __device__ inline int fflush(FILE *) { return 0; }
__host__ __device__ inline void abort() { __trap(); }

namespace std {
typedef ::size_t size_t;
typedef decltype(nullptr) nullptr_t;
using ::ptrdiff_t;
using ::FILE;
using ::int8_t;
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::uint8_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::intptr_t;
using ::uintptr_t;
using ::memcpy;
using ::memset;
using ::printf;
using ::fprintf;
using ::fflush;
using ::abort;

template <class T>
__host__ __device__ constexpr const T &min(const T &a, const T &b) {
  return b < a ? b : a;
}
template <class T>
__host__ __device__ constexpr const T &max(const T &a, const T &b) {
  return a < b ? b : a;
}
template <class T>
__host__ __device__ constexpr T min(initializer_list<T> values) {
  T least = *values.begin();
  for (const T &v : values) least = v < least ? v : least;
  return least;
}
template <class T>
__host__ __device__ constexpr T max(initializer_list<T> values) {
  T most = *values.begin();
  for (const T &v : values) most = most < v ? v : most;
  return most;
}
template <class T>
__host__ __device__ constexpr const T &clamp(const T &a, const T &low, const T &high) {
  return a < low ? low : high < a ? high : a;
}

using ::abs;
using ::acos;
using ::acosh;
using ::asin;
using ::asinh;
using ::atan;
using ::atan2;
using ::atanh;
using ::cbrt;
using ::ceil;
using ::copysign;
using ::cos;
using ::cosh;
using ::erf;
using ::erfc;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::fdim;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::frexp;
using ::hypot;
using ::ilogb;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::ldexp;
using ::lgamma;
using ::llrint;
using ::llround;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::logb;
using ::lrint;
using ::lround;
using ::modf;
using ::nearbyint;
using ::nextafter;
using ::pow;
using ::remainder;
using ::remquo;
using ::rint;
using ::round;
using ::scalbn;
using ::signbit;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::tgamma;
using ::trunc;
using ::acosf;
using ::asinf;
using ::atanf;
using ::atan2f;
using ::cbrtf;
using ::ceilf;
using ::copysignf;
using ::cosf;
using ::coshf;
using ::erff;
using ::erfcf;
using ::expf;
using ::exp2f;
using ::expm1f;
using ::fabsf;
using ::fdimf;
using ::floorf;
using ::fmaf;
using ::fmaxf;
using ::fminf;
using ::fmodf;
using ::hypotf;
using ::log10f;
using ::log1pf;
using ::log2f;
using ::logf;
using ::lroundf;
using ::powf;
using ::rintf;
using ::roundf;
using ::sinf;
using ::sinhf;
using ::sqrtf;
using ::tanf;
using ::tanhf;
using ::truncf;

template <class T, class... Ts>
struct perflint_one_of {
  enum : bool { value = false };
};
template <class T, class U, class... Ts>
struct perflint_one_of<T, U, Ts...> : perflint_one_of<T, Ts...> {};
template <class T, class... Ts>
struct perflint_one_of<T, T, Ts...> {
  enum : bool { value = true };
};
template <class T>
struct perflint_integral
    : perflint_one_of<T, bool, char, signed char, unsigned char, short, unsigned short, int,
                      unsigned, long, unsigned long, long long, unsigned long long, wchar_t> {};
// An enumerator: a static member would become a variable of every module.
template <class T, T v, bool integral = perflint_integral<T>::value>
struct perflint_constant {
  enum : T { value = v };
};
// What is no integer has no enumerator of its type: an enumeration, a pointer.
template <class T, T v>
struct perflint_constant<T, v, false> {
  static constexpr T value = v;
};
template <class T, T v>
struct integral_constant : perflint_constant<T, v> {
  typedef T value_type;
  typedef integral_constant type;
  __host__ __device__ constexpr operator T() const { return v; }
  __host__ __device__ constexpr T operator()() const { return v; }
};
template <bool b>
using bool_constant = integral_constant<bool, b>;
typedef bool_constant<true> true_type;
typedef bool_constant<false> false_type;

// C++ had these up to C++14, and hosts' libraries have them still.
template <class A, class R>
struct unary_function {
  typedef A argument_type;
  typedef R result_type;
};
template <class A, class B, class R>
struct binary_function {
  typedef A first_argument_type;
  typedef B second_argument_type;
  typedef R result_type;
};

template <class A, class B>
struct is_same : false_type {};
template <class A>
struct is_same<A, A> : true_type {};
template <class A, class B>
constexpr bool is_same_v = is_same<A, B>::value;
template <bool b, class T = void>
struct enable_if {};
template <class T>
struct enable_if<true, T> {
  typedef T type;
};
template <bool b, class T = void>
using enable_if_t = typename enable_if<b, T>::type;
template <bool b, class T, class F>
struct conditional {
  typedef T type;
};
template <class T, class F>
struct conditional<false, T, F> {
  typedef F type;
};
template <bool b, class T, class F>
using conditional_t = typename conditional<b, T, F>::type;
template <class T>
struct remove_reference {
  typedef T type;
};
template <class T>
struct remove_reference<T &> {
  typedef T type;
};
template <class T>
struct remove_reference<T &&> {
  typedef T type;
};
template <class T>
using remove_reference_t = typename remove_reference<T>::type;
template <class T>
struct remove_const {
  typedef T type;
};
template <class T>
struct remove_const<const T> {
  typedef T type;
};
template <class T>
using remove_const_t = typename remove_const<T>::type;
template <class T>
struct remove_volatile {
  typedef T type;
};
template <class T>
struct remove_volatile<volatile T> {
  typedef T type;
};
template <class T>
struct remove_cv {
  typedef typename remove_volatile<remove_const_t<T>>::type type;
};
template <class T>
using remove_cv_t = typename remove_cv<T>::type;
template <class T>
using decay_t = remove_cv_t<remove_reference_t<T>>;
template <class T>
struct decay {
  typedef decay_t<T> type;
};
template <class T>
struct remove_pointer {
  typedef T type;
};
template <class T>
struct remove_pointer<T *> {
  typedef T type;
};
template <class T>
using remove_pointer_t = typename remove_pointer<T>::type;
template <class T>
struct is_pointer : false_type {};
template <class T>
struct is_pointer<T *> : true_type {};
template <class T>
T &&perflint_value();
template <class... Ts>
struct common_type {};
template <class T>
struct common_type<T> {
  typedef decay_t<T> type;
};
template <class A, class B>
struct common_type<A, B> {
  typedef decay_t<decltype(true ? perflint_value<A>() : perflint_value<B>())> type;
};
template <class A, class B, class C, class... Ts>
struct common_type<A, B, C, Ts...> : common_type<typename common_type<A, B>::type, C, Ts...> {};
template <class... Ts>
using common_type_t = typename common_type<Ts...>::type;

template <class T>
struct is_floating_point
    : bool_constant<is_same_v<remove_cv_t<T>, float> || is_same_v<remove_cv_t<T>, double>> {};
template <class T>
struct is_integral : bool_constant<perflint_integral<remove_cv_t<T>>::value> {};
template <class T>
struct is_arithmetic : bool_constant<is_integral<T>::value || is_floating_point<T>::value> {};
template <class T, bool = is_arithmetic<T>::value>
struct is_signed : bool_constant<(T(-1) < T(0))> {};
template <class T>
struct is_signed<T, false> : false_type {};
template <class T, bool = is_arithmetic<T>::value>
struct is_unsigned : bool_constant<!(T(-1) < T(0))> {};
template <class T>
struct is_unsigned<T, false> : false_type {};
template <class T>
constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <class T>
constexpr bool is_integral_v = is_integral<T>::value;
template <class T>
constexpr bool is_arithmetic_v = is_arithmetic<T>::value;
template <class T>
constexpr bool is_signed_v = is_signed<T>::value;
template <class T>
constexpr bool is_unsigned_v = is_unsigned<T>::value;
template <class T>
constexpr bool is_pointer_v = is_pointer<T>::value;

template <class T>
struct alignment_of : integral_constant<size_t, alignof(T)> {};
template <size_t size, size_t alignment = 16>
struct aligned_storage {
  struct type {
    alignas(alignment) unsigned char data[size];
  };
};
template <size_t size, size_t alignment = 16>
using aligned_storage_t = typename aligned_storage<size, alignment>::type;
template <class...>
using void_t = void;
template <class T>
struct is_void : is_same<remove_cv_t<T>, void> {};
template <class T>
struct is_const : false_type {};
template <class T>
struct is_const<const T> : true_type {};
template <class T>
constexpr bool is_const_v = is_const<T>::value;
template <class T>
struct add_const {
  typedef const T type;
};
template <class T>
using add_const_t = const T;
template <class T>
struct add_pointer {
  typedef remove_reference_t<T> *type;
};
template <class T>
using add_pointer_t = typename add_pointer<T>::type;
template <class T>
struct is_enum : bool_constant<__is_enum(T)> {};
template <class T>
struct is_trivially_copyable : bool_constant<__is_trivially_copyable(T)> {};
template <class T>
constexpr bool is_trivially_copyable_v = is_trivially_copyable<T>::value;
template <class B, class D>
struct is_base_of : bool_constant<__is_base_of(B, D)> {};
template <class B, class D>
constexpr bool is_base_of_v = is_base_of<B, D>::value;

template <class T>
__host__ __device__ constexpr void swap(T &a, T &b) {
  T t = a;
  a = b;
  b = t;
}

enum float_round_style {
  round_indeterminate = -1,
  round_toward_zero,
  round_to_nearest,
  round_toward_infinity,
  round_toward_neg_infinity
};
enum float_denorm_style { denorm_indeterminate = -1, denorm_absent, denorm_present };
template <class C, class T>
class basic_istream;
template <class C, class T>
class basic_ostream;

template <class T>
struct numeric_limits {
  enum : bool { is_specialized = false };
};
template <class T>
struct numeric_limits<const T> : numeric_limits<T> {};
#define PERFLINT_LIMITS(T, smallest, largest, most_negative, eps, inf, nan, snan, least,   \
                        places, whole)                                                    \
  template <>                                                                             \
  struct numeric_limits<T> {                                                              \
    enum : bool {                                                                         \
      is_specialized = true,                                                              \
      is_integer = whole,                                                                 \
      is_signed = (T)-1 < (T)0,                                                           \
      is_exact = whole,                                                                   \
      is_bounded = true,                                                                  \
      is_modulo = whole && (T)-1 > (T)1,                                                  \
      is_iec559 = !whole,                                                                 \
      has_infinity = !whole,                                                              \
      has_quiet_NaN = !whole,                                                             \
      has_signaling_NaN = !whole                                                          \
    };                                                                                    \
    enum : int {                                                                          \
      radix = 2,                                                                          \
      digits = places,                                                                    \
      digits10 = (places - !whole) * 30103 / 100000,                                      \
      max_digits10 = whole ? 0 : 2 + places * 30103 / 100000,                             \
      max_exponent = whole ? 0 : places == 24 ? 128 : 1024,                               \
      max_exponent10 = whole ? 0 : places == 24 ? 38 : 308,                               \
      min_exponent = whole ? 0 : 3 - max_exponent,                                        \
      min_exponent10 = whole ? 0 : 1 - max_exponent10                                     \
    };                                                                                    \
    __host__ __device__ static constexpr T min() noexcept { return smallest; }            \
    __host__ __device__ static constexpr T max() noexcept { return largest; }             \
    __host__ __device__ static constexpr T lowest() noexcept { return most_negative; }    \
    __host__ __device__ static constexpr T epsilon() noexcept { return eps; }             \
    __host__ __device__ static constexpr T infinity() noexcept { return inf; }            \
    __host__ __device__ static constexpr T quiet_NaN() noexcept { return nan; }           \
    __host__ __device__ static constexpr T signaling_NaN() noexcept { return snan; }      \
    __host__ __device__ static constexpr T denorm_min() noexcept { return least; }        \
    __host__ __device__ static constexpr T round_error() noexcept { return whole ? 0 : 0.5f; }    \
  };
PERFLINT_LIMITS(float, FLT_MIN, FLT_MAX, -FLT_MAX, FLT_EPSILON, INFINITY, NAN,
                __builtin_bit_cast(float, 0x7fa00000), __builtin_bit_cast(float, 1), 24, false)
PERFLINT_LIMITS(double, DBL_MIN, DBL_MAX, -DBL_MAX, DBL_EPSILON, HUGE_VAL, NAN,
                __builtin_bit_cast(double, 0x7ff4000000000000LL), __builtin_bit_cast(double, 1LL), 53,
                false)
PERFLINT_LIMITS(bool, false, true, false, false, false, false, false, false, 1, true)
PERFLINT_LIMITS(char, CHAR_MIN, CHAR_MAX, CHAR_MIN, 0, 0, 0, 0, 0, 7, true)
PERFLINT_LIMITS(signed char, SCHAR_MIN, SCHAR_MAX, SCHAR_MIN, 0, 0, 0, 0, 0, 7, true)
PERFLINT_LIMITS(unsigned char, 0, UCHAR_MAX, 0, 0, 0, 0, 0, 0, 8, true)
PERFLINT_LIMITS(short, SHRT_MIN, SHRT_MAX, SHRT_MIN, 0, 0, 0, 0, 0, 15, true)
PERFLINT_LIMITS(unsigned short, 0, USHRT_MAX, 0, 0, 0, 0, 0, 0, 16, true)
PERFLINT_LIMITS(int, INT_MIN, INT_MAX, INT_MIN, 0, 0, 0, 0, 0, 31, true)
PERFLINT_LIMITS(unsigned, 0, UINT_MAX, 0, 0, 0, 0, 0, 0, 32, true)
PERFLINT_LIMITS(long, LONG_MIN, LONG_MAX, LONG_MIN, 0, 0, 0, 0, 0, 63, true)
PERFLINT_LIMITS(unsigned long, 0, ULONG_MAX, 0, 0, 0, 0, 0, 0, 64, true)
PERFLINT_LIMITS(long long, LLONG_MIN, LLONG_MAX, LLONG_MIN, 0, 0, 0, 0, 0, 63, true)
PERFLINT_LIMITS(unsigned long long, 0, ULLONG_MAX, 0, 0, 0, 0, 0, 0, 64, true)
#undef PERFLINT_LIMITS
}  // namespace std
