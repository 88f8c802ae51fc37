// In place of Thrust's containers, which only the host has, by their sizes (libstdc++): a class with
// such members is laid out as it is there, and functions that take one are declared.
#pragma once
#include "perflint/host_std.h"
#include "perflint/thrust_seq.h"
namespace thrust {
template <class T, class...>
class device_vector : public perflint_host::sequence<T> { perflint_host::words<32> w; };
template <class T, class...>
class host_vector : public perflint_host::sequence<T> { perflint_host::words<32> w; };
template <class T, class...>
class universal_vector : public perflint_host::sequence<T> { perflint_host::words<32> w; };
// What allocators for them are made of: they have no members, and those of a base are the host's.
template <class T>
struct perflint_allocator {
  using value_type = T;
  using size_type = unsigned long;
  using difference_type = long;
  using pointer = device_ptr<T>;
  using const_pointer = device_ptr<const T>;
  using reference = T &;
  using const_reference = const T &;
};
template <class T>
struct device_malloc_allocator : perflint_allocator<T> {
  template <class U>
  struct rebind { using other = device_malloc_allocator<U>; };
};
template <class T>
struct device_new_allocator : perflint_allocator<T> {
  template <class U>
  struct rebind { using other = device_new_allocator<U>; };
};
template <class T>
struct device_allocator : perflint_allocator<T> {
  template <class U>
  struct rebind { using other = device_allocator<U>; };
};
}  // namespace thrust
THRUST_NAMESPACE_BEGIN
namespace cuda {
template <class T>
using pointer = ::thrust::device_ptr<T>;
}
THRUST_NAMESPACE_END
