// In place of PyTorch's headers: what its extensions' kernels use of them. Accessors have PyTorch's
// layout (data, sizes, strides; ATen/core/TensorAccessor.h), so that addresses are the same.
#pragma once
#include <cuda_fp16.h>
#include <cuda_bf16.h>
namespace c10 {
typedef ::__half Half;
typedef ::__nv_bfloat16 BFloat16;
}  // namespace c10
namespace at {
typedef ::__half Half;
typedef ::__nv_bfloat16 BFloat16;
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
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, Traits, int64_t>;
}  // namespace at
namespace torch {
using namespace at;
}  // namespace torch
#define C10_DEVICE __device__
#define C10_HOST_DEVICE __host__ __device__
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__(threads, blocks)
#define CUDA_KERNEL_LOOP_TYPE(i, n, I)                                                   \
  int64_t _i_n_d_e_x = ((int64_t)blockIdx.x) * blockDim.x + threadIdx.x;                 \
  for (I i = _i_n_d_e_x; _i_n_d_e_x < (n); _i_n_d_e_x += blockDim.x * gridDim.x, i = _i_n_d_e_x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
