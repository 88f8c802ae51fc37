// In place of <thrust/functional.h>: with the bases of function objects that CCCL 3 has no more.
#pragma once
#include <thrust/functional.h>
#if CCCL_MAJOR_VERSION >= 3
namespace thrust {
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
template <class T>
struct identity {
  typedef T argument_type;
  typedef T result_type;
  __host__ __device__ constexpr const T &operator()(const T &value) const { return value; }
};
}  // namespace thrust
#endif
