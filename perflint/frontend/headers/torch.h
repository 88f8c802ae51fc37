// In place of PyTorch's headers: what its extensions' kernels use of them. Accessors have PyTorch's
// layout (data, sizes, strides; ATen/core/TensorAccessor.h), so that addresses are the same.
#pragma once
#include <cuda_fp16.h>
#include <cuda_bf16.h>
// PyTorch's headers lead to <cuda.h>.
#ifndef CUDA_VERSION
#define CUDA_VERSION (__CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10)
#endif
namespace c10 {
// Two-byte floats as PyTorch has them: arithmetic goes through float (c10/util/Half-inl.h).
#define PERFLINT_MIXED(H, T, R, op)                                              \
  __device__ inline R operator op(H a, T b) { return (R)(float)a op(R) b; }      \
  __device__ inline R operator op(T a, H b) { return (R)a op(R)(float) b; }
#define PERFLINT_ARITHMETIC(H, op)                                               \
  __device__ inline H operator op(const H &a, const H &b) { return H((float)a op(float) b); } \
  __device__ inline H &operator op##=(H &a, const H &b) { return a = a op b; }   \
  __device__ inline float &operator op##=(float &a, const H &b) { return a = a op(float) b; } \
  PERFLINT_MIXED(H, float, float, op)                                            \
  PERFLINT_MIXED(H, double, double, op)                                          \
  PERFLINT_MIXED(H, int, H, op)                                                  \
  PERFLINT_MIXED(H, int64_t, H, op)
#define PERFLINT_COMPARED(H, T, op)                                              \
  __device__ inline bool operator op(H a, T b) { return (float)a op b; }         \
  __device__ inline bool operator op(T a, H b) { return a op(float) b; }
#define PERFLINT_COMPARISON(H, op)                                               \
  __device__ inline bool operator op(H a, H b) { return (float)a op(float) b; }  \
  PERFLINT_COMPARED(H, float, op)                                                \
  PERFLINT_COMPARED(H, double, op)                                               \
  PERFLINT_COMPARED(H, int, op)                                                  \
  PERFLINT_COMPARED(H, int64_t, op)
#define PERFLINT_SMALL(H)                                                        \
  PERFLINT_ARITHMETIC(H, +)                                                      \
  PERFLINT_ARITHMETIC(H, -)                                                      \
  PERFLINT_ARITHMETIC(H, *)                                                      \
  PERFLINT_ARITHMETIC(H, /)                                                      \
  PERFLINT_COMPARISON(H, <)                                                      \
  PERFLINT_COMPARISON(H, >)                                                      \
  PERFLINT_COMPARISON(H, <=)                                                     \
  PERFLINT_COMPARISON(H, >=)                                                     \
  PERFLINT_COMPARISON(H, ==)                                                     \
  PERFLINT_COMPARISON(H, !=)                                                     \
  __device__ inline H operator-(const H &a) { return H(-(float)a); }

struct alignas(2) Half {
  unsigned short x;
  struct from_bits_t {};
  __host__ __device__ static constexpr from_bits_t from_bits() { return from_bits_t(); }
  Half() = default;
  __device__ constexpr Half(unsigned short bits, from_bits_t) : x(bits) {}
  __device__ Half(float value) : x(::__half_as_ushort(::__float2half_rn(value))) {}
  __device__ Half(const ::__half &value) : x(*reinterpret_cast<const unsigned short *>(&value)) {}
  __device__ operator float() const { return ::__half2float(*reinterpret_cast<const ::__half *>(this)); }
  __device__ operator ::__half() const { return *reinterpret_cast<const ::__half *>(this); }
};
PERFLINT_SMALL(Half)

struct alignas(2) BFloat16 {
  unsigned short x;
  struct from_bits_t {};
  __host__ __device__ static constexpr from_bits_t from_bits() { return from_bits_t(); }
  BFloat16() = default;
  __device__ constexpr BFloat16(unsigned short bits, from_bits_t) : x(bits) {}
  __device__ BFloat16(float value) : x(::__bfloat16_as_ushort(::__float2bfloat16_rn(value))) {}
  __device__ BFloat16(const ::__nv_bfloat16 &value) : x(*reinterpret_cast<const unsigned short *>(&value)) {}
  __device__ operator float() const { return ::__uint_as_float((unsigned)x << 16); }
  __device__ operator ::__nv_bfloat16() const { return *reinterpret_cast<const ::__nv_bfloat16 *>(this); }
};
PERFLINT_SMALL(BFloat16)

#undef PERFLINT_SMALL
#undef PERFLINT_COMPARISON
#undef PERFLINT_COMPARED
#undef PERFLINT_ARITHMETIC
#undef PERFLINT_MIXED

template <class T>
struct alignas(sizeof(T) * 2) complex {
  typedef T value_type;
  T real_, imag_;
  complex() = default;
  __device__ constexpr complex(const T &re, const T &im = T()) : real_(re), imag_(im) {}
  template <class U>
  __device__ explicit constexpr complex(const complex<U> &o) : real_(o.real_), imag_(o.imag_) {}
  __device__ constexpr T real() const { return real_; }
  __device__ constexpr T imag() const { return imag_; }
  __device__ void real(T v) { real_ = v; }
  __device__ void imag(T v) { imag_ = v; }
  __device__ complex &operator+=(const complex &o) { return *this = *this + o; }
  __device__ complex &operator-=(const complex &o) { return *this = *this - o; }
  __device__ complex &operator*=(const complex &o) { return *this = *this * o; }
  __device__ friend complex operator+(const complex &a, const complex &b) {
    return complex(a.real_ + b.real_, a.imag_ + b.imag_);
  }
  __device__ friend complex operator-(const complex &a, const complex &b) {
    return complex(a.real_ - b.real_, a.imag_ - b.imag_);
  }
  __device__ friend complex operator-(const complex &a) { return complex(-a.real_, -a.imag_); }
  __device__ friend complex operator*(const complex &a, const complex &b) {
    return complex(a.real_ * b.real_ - a.imag_ * b.imag_, a.real_ * b.imag_ + a.imag_ * b.real_);
  }
  __device__ friend complex operator/(const complex &a, const complex &b) {
    T d = b.real_ * b.real_ + b.imag_ * b.imag_;
    return complex((a.real_ * b.real_ + a.imag_ * b.imag_) / d,
                   (a.imag_ * b.real_ - a.real_ * b.imag_) / d);
  }
  __device__ friend bool operator==(const complex &a, const complex &b) {
    return a.real_ == b.real_ && a.imag_ == b.imag_;
  }
};
template <class T>
__device__ inline complex<T> conj(const complex<T> &a) {
  return complex<T>(a.real_, -a.imag_);
}
enum class ScalarType : int8_t {
  Byte, Char, Short, Int, Long, Half, Float, Double, ComplexHalf, ComplexFloat, ComplexDouble,
  Bool, QInt8, QUInt8, QInt32, BFloat16
};
enum class DeviceType : int8_t { CPU, CUDA };
// The host's side, which device code only names.
class Device {};
class Stream {};
class Scalar {
 public:
  template <class T>
  __device__ T to() const { return T(); }
};
struct nullopt_t {};
template <class T>
class optional {
 public:
  bool has_value() const;
  T value() const;
};
template <class T>
class ArrayRef {
  const T *data_;
  size_t length_;

 public:
  size_t size() const { return length_; }
  const T &operator[](size_t i) const { return data_[i]; }
};
typedef ArrayRef<int64_t> IntArrayRef;
}  // namespace c10

template <>
struct std::numeric_limits<c10::Half> {
  enum : bool { is_specialized = true, is_signed = true, is_integer = false, has_infinity = true };
  enum : int { digits = 11 };
  __device__ static c10::Half bits(unsigned short b) { return c10::Half(b, c10::Half::from_bits()); }
  __device__ static c10::Half min() { return bits(0x0400); }
  __device__ static c10::Half max() { return bits(0x7bff); }
  __device__ static c10::Half lowest() { return bits(0xfbff); }
  __device__ static c10::Half epsilon() { return bits(0x1400); }
  __device__ static c10::Half infinity() { return bits(0x7c00); }
  __device__ static c10::Half quiet_NaN() { return bits(0x7e00); }
};
template <>
struct std::numeric_limits<c10::BFloat16> {
  enum : bool { is_specialized = true, is_signed = true, is_integer = false, has_infinity = true };
  enum : int { digits = 8 };
  __device__ static c10::BFloat16 bits(unsigned short b) {
    return c10::BFloat16(b, c10::BFloat16::from_bits());
  }
  __device__ static c10::BFloat16 min() { return bits(0x0080); }
  __device__ static c10::BFloat16 max() { return bits(0x7f7f); }
  __device__ static c10::BFloat16 lowest() { return bits(0xff7f); }
  __device__ static c10::BFloat16 epsilon() { return bits(0x3c00); }
  __device__ static c10::BFloat16 infinity() { return bits(0x7f80); }
  __device__ static c10::BFloat16 quiet_NaN() { return bits(0x7fc0); }
};

namespace at {
using namespace c10;
using c10::BFloat16;
using c10::Half;
using c10::ScalarType;
class Tensor {
  void *impl_;

 public:
  template <class T>
  T *data_ptr() const;
  void *data_ptr() const;
  int64_t size(int64_t) const;
  int64_t stride(int64_t) const;
  int64_t numel() const;
  int64_t dim() const;
};
class Generator {};
class TensorOptions {};
typedef ArrayRef<Tensor> TensorList;
constexpr ScalarType kFloat = ScalarType::Float, kHalf = ScalarType::Half,
                     kBFloat16 = ScalarType::BFloat16, kDouble = ScalarType::Double,
                     kInt = ScalarType::Int, kLong = ScalarType::Long, kByte = ScalarType::Byte;

// ATen/AccumulateType.h, ATen/OpMathType.h
template <class T, bool is_cuda>
struct AccumulateType {
  typedef T type;
};
#define PERFLINT_ACCUMULATE(T, cuda, cpu) \
  template <>                             \
  struct AccumulateType<T, true> {        \
    typedef cuda type;                    \
  };                                      \
  template <>                             \
  struct AccumulateType<T, false> {       \
    typedef cpu type;                     \
  };
PERFLINT_ACCUMULATE(Half, float, float)
PERFLINT_ACCUMULATE(BFloat16, float, float)
PERFLINT_ACCUMULATE(::__half, float, float)
PERFLINT_ACCUMULATE(float, float, double)
PERFLINT_ACCUMULATE(int8_t, int64_t, int64_t)
PERFLINT_ACCUMULATE(uint8_t, int64_t, int64_t)
PERFLINT_ACCUMULATE(char, int64_t, int64_t)
PERFLINT_ACCUMULATE(int16_t, int64_t, int64_t)
PERFLINT_ACCUMULATE(int32_t, int64_t, int64_t)
#undef PERFLINT_ACCUMULATE
template <class T, bool is_cuda>
using acc_type = typename AccumulateType<T, is_cuda>::type;
template <class T>
struct OpMathType {
  typedef T type;
};
template <>
struct OpMathType<Half> {
  typedef float type;
};
template <>
struct OpMathType<BFloat16> {
  typedef float type;
};
template <class T>
using opmath_type = typename OpMathType<T>::type;

// ATen/cuda/NumericLimits.cuh
template <class T>
struct numeric_limits : std::numeric_limits<T> {
  __device__ static T lower_bound() {
    return std::is_floating_point<T>::value ? -std::numeric_limits<T>::infinity()
                                            : std::numeric_limits<T>::lowest();
  }
  __device__ static T upper_bound() {
    return std::is_floating_point<T>::value ? std::numeric_limits<T>::infinity()
                                            : std::numeric_limits<T>::max();
  }
};
template <class T>
__device__ inline bool _isnan(T a) { return a != a; }
template <class T>
__device__ inline bool _isinf(T a) { return isinf((float)a); }
template <class T, class U>
__host__ __device__ constexpr T ceil_div(T a, U b) { return (a + b - 1) / b; }
template <class T, class U>
__host__ __device__ constexpr T round_up(T a, U b) { return ceil_div(a, b) * b; }

// ATen/cuda/PhiloxCudaState.h
struct PhiloxCudaState {
  PhiloxCudaState() = default;
  PhiloxCudaState(uint64_t seed, uint64_t offset) { seed_.val = seed, offset_.val = offset; }
  union Payload {
    uint64_t val;
    int64_t *ptr;
  };
  Payload seed_, offset_;
  uint32_t offset_intragraph_;
  bool captured_;
};
namespace cuda {
template <class T>  // ATen/cuda/CUDAApplyUtils.cuh
__host__ __device__ __forceinline__ T ATenCeilDiv(T a, T b) { return (a + b - 1) / b; }
template <class T, int N>
struct Array {
  T data[N];
  __host__ __device__ T operator[](int i) const { return data[i]; }
  __host__ __device__ T &operator[](int i) { return data[i]; }
};
// ATen/cuda/detail/TensorInfo.cuh
namespace detail {
template <class T, class I>
struct TensorInfo {
  T *data;
  I sizes[25], strides[25];
  int dims;
  __host__ __device__ bool isContiguous() const { return dims == 1 && strides[0] == 1; }
};
template <class T, class I, int Dims>
struct IndexToOffset {
  __device__ static I get(I linear, const TensorInfo<T, I> &info) {
    I offset = 0;
    for (int i = (Dims < 0 ? info.dims : Dims) - 1; i > 0; --i) {
      offset += linear % info.sizes[i] * info.strides[i];
      linear /= info.sizes[i];
    }
    return offset + linear * info.strides[0];
  }
};
}  // namespace detail
class CUDAStream {};
class CUDAGuard {};
}  // namespace cuda
namespace native {
namespace memory {
template <class T, int N>
struct alignas(sizeof(T) * N) aligned_vector {
  T val[N];
};
}  // namespace memory
}  // namespace native
template <class T>
struct DefaultPtrTraits {
  typedef T *PtrType;
};
template <class T>
struct RestrictPtrTraits {
  typedef T *__restrict__ PtrType;
};
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class I = int64_t>
class TensorAccessor {
 public:
  typedef typename Traits<T>::PtrType PtrType;
  __device__ TensorAccessor(PtrType data, const I *sizes, const I *strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  __device__ I size(I i) const { return sizes_[i]; }
  __device__ I stride(I i) const { return strides_[i]; }
  __device__ PtrType data() const { return data_; }
  __device__ TensorAccessor<T, N - 1, Traits, I> operator[](I i) const {
    return TensorAccessor<T, N - 1, Traits, I>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
  }

 private:
  PtrType data_;
  const I *sizes_, *strides_;
};
template <class T, template <class> class Traits, class I>
class TensorAccessor<T, 1, Traits, I> {
 public:
  typedef typename Traits<T>::PtrType PtrType;
  __device__ TensorAccessor(PtrType data, const I *sizes, const I *strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  __device__ I size(I i) const { return sizes_[i]; }
  __device__ I stride(I i) const { return strides_[i]; }
  __device__ PtrType data() const { return data_; }
  __device__ T &operator[](I i) const { return data_[strides_[0] * i]; }

 private:
  PtrType data_;
  const I *sizes_, *strides_;
};
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class I = int64_t>
class GenericPackedTensorAccessor {
 public:
  typedef typename Traits<T>::PtrType PtrType;
  __device__ I size(I i) const { return sizes_[i]; }
  __device__ I stride(I i) const { return strides_[i]; }
  __device__ PtrType data() const { return data_; }
  __device__ TensorAccessor<T, N - 1, Traits, I> operator[](I i) const {
    return TensorAccessor<T, N - 1, Traits, I>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
  }

 private:
  PtrType data_;
  I sizes_[N], strides_[N];
};
template <class T, template <class> class Traits, class I>
class GenericPackedTensorAccessor<T, 1, Traits, I> {
 public:
  typedef typename Traits<T>::PtrType PtrType;
  __device__ I size(I i) const { return sizes_[i]; }
  __device__ I stride(I i) const { return strides_[i]; }
  __device__ PtrType data() const { return data_; }
  __device__ T &operator[](I i) const { return data_[strides_[0] * i]; }

 private:
  PtrType data_;
  I sizes_[1], strides_[1];
};
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, Traits, int32_t>;
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, Traits, int64_t>;
// Before PyTorch 1.3 this was the class, with its type of indices.
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class I = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, Traits, I>;
}  // namespace at
namespace torch {
using namespace at;
using at::BFloat16;
using at::Half;
using at::Tensor;
}  // namespace torch

// c10/macros/Macros.h
#define C10_HOST __host__
#define C10_DEVICE __device__
#define C10_HOST_DEVICE __host__ __device__
#define C10_ALWAYS_INLINE __forceinline__
#define C10_NOINLINE __noinline__
#define C10_LIKELY(e) (e)
#define C10_UNLIKELY(e) (e)
#define C10_UNUSED
#define C10_WARP_SIZE 32
#define C10_NODISCARD
#define C10_RESTRICT __restrict__
#define C10_EXPORT
#define C10_API
#define TORCH_API
#define TORCH_CUDA_CU_API
#define AT_HOST_DEVICE __host__ __device__
#define AT_DEVICE __device__
#define AT_HOST __host__
#define C10_WARP_SIZE 32
#define C10_MAX_THREADS_PER_BLOCK(n) (n)
#define C10_MIN_BLOCKS_PER_SM(threads, blocks) (blocks)
#define C10_LAUNCH_BOUNDS_0 __launch_bounds__(256, 4)
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__(threads, blocks)
#define C10_LAUNCH_BOUNDS(threads, blocks) __launch_bounds__(threads, blocks)
#define C10_CUDA_CHECK(e) (e)
#define AT_CUDA_CHECK(e) (e)
#define C10_CUDA_KERNEL_LAUNCH_CHECK()
#define CUDA_KERNEL_ASSERT(e) assert(e)
#define CUDA_KERNEL_ASSERT_MSG(e, text) assert(e)
#define TORCH_CHECK(...)
#define TORCH_INTERNAL_ASSERT(...)
#define AT_ASSERT(...)
#define AT_ASSERTM(...)
#define AT_ERROR(...)
#define CUDA_KERNEL_LOOP_TYPE(i, n, I)                                                   \
  int64_t _i_n_d_e_x = ((int64_t)blockIdx.x) * blockDim.x + threadIdx.x;                 \
  for (I i = _i_n_d_e_x; _i_n_d_e_x < (n); _i_n_d_e_x += blockDim.x * gridDim.x, i = _i_n_d_e_x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)

// ATen/cuda/DeviceUtils.cuh, which a source that defines these itself does not include: a parameter
// that takes a conversion makes ours another function, and the second choice.
namespace perflint {
template <class T>
struct converted {
  T value;
  __host__ __device__ constexpr converted(T v) : value(v) {}
  __host__ __device__ constexpr operator T() const { return value; }
};
}  // namespace perflint
__device__ __forceinline__ unsigned WARP_BALLOT(perflint::converted<int> p, unsigned mask = 0xffffffff) {
  return __ballot_sync(mask, p);
}
__device__ __forceinline__ unsigned ACTIVE_MASK() { return __activemask(); }
__device__ __forceinline__ void WARP_SYNC(unsigned mask = 0xffffffff) { __syncwarp(mask); }
#define PERFLINT_SHUFFLE(name, function, kind, of)                                       \
  template <class T>                                                                     \
  __device__ __forceinline__ T name(T v, kind of, int width = 32, unsigned m = 0xffffffff) { \
    return function(m, v, of.value, width);                                                    \
  }                                                                                      \
  __device__ __forceinline__ c10::Half name(c10::Half v, kind of, int width = 32,        \
                                            unsigned m = 0xffffffff) {                   \
    return c10::Half(function(m, (unsigned)v.x, of.value, width), c10::Half::from_bits());     \
  }                                                                                      \
  __device__ __forceinline__ c10::BFloat16 name(c10::BFloat16 v, kind of, int width = 32, \
                                                unsigned m = 0xffffffff) {               \
    return c10::BFloat16(function(m, (unsigned)v.x, of.value, width), c10::BFloat16::from_bits()); \
  }                                                                                      \
  template <class T>                                                                     \
  __device__ __forceinline__ c10::complex<T> name(c10::complex<T> v, kind of, int width = 32, \
                                                  unsigned m = 0xffffffff) {             \
    return c10::complex<T>(function(m, v.real_, of.value, width), function(m, v.imag_, of.value, width)); \
  }
PERFLINT_SHUFFLE(WARP_SHFL_XOR, __shfl_xor_sync, perflint::converted<int>, mask_)
PERFLINT_SHUFFLE(WARP_SHFL, __shfl_sync, perflint::converted<int>, lane)
PERFLINT_SHUFFLE(WARP_SHFL_UP, __shfl_up_sync, perflint::converted<unsigned>, delta)
PERFLINT_SHUFFLE(WARP_SHFL_DOWN, __shfl_down_sync, perflint::converted<unsigned>, delta)
#undef PERFLINT_SHUFFLE
__device__ __forceinline__ c10::Half __ldg(const c10::Half *p) {
  return c10::Half(__ldg(&p->x), c10::Half::from_bits());
}
__device__ __forceinline__ c10::BFloat16 __ldg(const c10::BFloat16 *p) {
  return c10::BFloat16(__ldg(&p->x), c10::BFloat16::from_bits());
}

// ATen/cuda/Atomic.cuh. Sources that do without that header have functions of the same kind: as
// templates these are none the less other ones, and a call takes the source's own.
#define PERFLINT_ATOMIC template <typename = void> __device__ inline
PERFLINT_ATOMIC c10::Half atomicAdd(c10::Half *p, c10::Half v) {
  return atomicAdd(reinterpret_cast<__half *>(p), (__half)v);
}
PERFLINT_ATOMIC c10::BFloat16 atomicAdd(c10::BFloat16 *p, c10::BFloat16 v) {
  return atomicAdd(reinterpret_cast<__nv_bfloat16 *>(p), (__nv_bfloat16)v);
}
PERFLINT_ATOMIC int64_t atomicAdd(int64_t *p, int64_t v) {
  return atomicAdd(reinterpret_cast<unsigned long long *>(p), (unsigned long long)v);
}
#define PERFLINT_SMALL_ATOMIC(T)                                                         \
  PERFLINT_ATOMIC T atomicAdd(T *p, T v) {                                               \
    unsigned shift = ((size_t)p & 3) * 8;                                                \
    unsigned mask = (sizeof(T) == 1 ? 0xffu : 0xffffu) << shift;                         \
    unsigned *word = reinterpret_cast<unsigned *>((size_t)p & ~(size_t)3);               \
    unsigned old = *word, seen;                                                          \
    do {                                                                                 \
      seen = old;                                                                        \
      unsigned sum = (unsigned)(T)((T)((seen & mask) >> shift) + v) << shift;            \
      old = atomicCAS(word, seen, (seen & ~mask) | (sum & mask));                        \
    } while (seen != old);                                                               \
    return (T)((old & mask) >> shift);                                                   \
  }
PERFLINT_SMALL_ATOMIC(uint8_t)
PERFLINT_SMALL_ATOMIC(int8_t)
PERFLINT_SMALL_ATOMIC(int16_t)
#undef PERFLINT_SMALL_ATOMIC
#undef PERFLINT_ATOMIC
template <class T>
__device__ inline c10::complex<T> atomicAdd(c10::complex<T> *p, c10::complex<T> v) {
  return c10::complex<T>(atomicAdd(&p->real_, v.real_), atomicAdd(&p->imag_, v.imag_));
}
template <class T>
__device__ inline T gpuAtomicAdd(T *p, T v) {
  return atomicAdd(p, v);
}
template <class T, class U>
__device__ inline T gpuAtomicAdd(T *p, U v) {
  return atomicAdd(p, (T)v);
}
template <class T, class U>
__device__ inline void gpuAtomicAddNoReturn(T *p, U v) {
  atomicAdd(p, (T)v);
}
template <class T, class F>
__device__ inline T perflint_atomic(T *p, F change) {
  T old = *p, seen;
  do {
    seen = old;
    T next = change(seen);
    if constexpr (sizeof(T) == 8) {
      unsigned long long word = atomicCAS(reinterpret_cast<unsigned long long *>(p),
                                          *reinterpret_cast<unsigned long long *>(&seen),
                                          *reinterpret_cast<unsigned long long *>(&next));
      old = *reinterpret_cast<T *>(&word);
    } else if constexpr (sizeof(T) == 4) {
      unsigned word = atomicCAS(reinterpret_cast<unsigned *>(p), *reinterpret_cast<unsigned *>(&seen),
                                *reinterpret_cast<unsigned *>(&next));
      old = *reinterpret_cast<T *>(&word);
    } else {
      unsigned short word = atomicCAS(reinterpret_cast<unsigned short *>(p),
                                      *reinterpret_cast<unsigned short *>(&seen),
                                      *reinterpret_cast<unsigned short *>(&next));
      old = *reinterpret_cast<T *>(&word);
    }
  } while (old != seen);
  return old;
}
template <class T>
__device__ inline T gpuAtomicMul(T *p, T v) {
  return perflint_atomic(p, [=](T a) { return (T)(a * v); });
}
template <class T>
__device__ inline T gpuAtomicMax(T *p, T v) {
  return perflint_atomic(p, [=](T a) { return a > v ? a : v; });
}
template <class T>
__device__ inline T gpuAtomicMin(T *p, T v) {
  return perflint_atomic(p, [=](T a) { return a < v ? a : v; });
}
namespace at {
namespace native {
template <class T, class I>
__device__ inline void fastAtomicAdd(T *p, I index, const I, T v, bool = true) {
  gpuAtomicAddNoReturn(p + index, v);
}
// ATen/native/cuda/block_reduce.cuh
namespace cuda_utils {
constexpr int kCUDABlockReduceNumThreads = 512;
template <class T>
__device__ inline T WarpReduceSum(T v) {
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1) v += WARP_SHFL_DOWN(v, offset);
  return v;
}
template <class T>
__device__ inline T BlockReduceSum(T v, T *shared) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  v = WarpReduceSum(v);
  __syncthreads();
  if (lane == 0) shared[warp] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? shared[lane] : T(0);
  if (warp == 0) v = WarpReduceSum(v);
  return v;
}
}  // namespace cuda_utils
}  // namespace native
}  // namespace at
