// In place of Thrust's algorithms as one thread runs them (`thrust::seq`): Thrust's own headers want
// a host compiler. What they read and write is the same; sorts are by insertion and by heaps, so the
// order of accesses in them is not.
#pragma once
#include <thrust/detail/seq.h>
#include "perflint/thrust_functional.h"
#include "perflint/thrust_tuple.h"
namespace thrust {
// `thrust::seq` is Thrust's own; one thread does with any other policy what it does with that.
struct perflint_policy {
  template <class S>
  __device__ const perflint_policy &on(S) const { return *this; }
};
static constexpr perflint_policy device{}, par{}, par_nosync{};

template <class T>
class device_ptr {
  T *p;

 public:
  using value_type = T;
  using difference_type = long;
  using pointer = T *;
  using reference = T &;
  __host__ __device__ device_ptr() : p(nullptr) {}
  template <class U>
  __host__ __device__ explicit device_ptr(U *q) : p(q) {}
  template <class U>
  __host__ __device__ device_ptr(const device_ptr<U> &q) : p(q.get()) {}
  __host__ __device__ T *get() const { return p; }
  __host__ __device__ T &operator*() const { return *p; }
  __host__ __device__ T *operator->() const { return p; }
  template <class I>
  __host__ __device__ T &operator[](I i) const { return p[i]; }
  __host__ __device__ device_ptr operator+(long i) const { return device_ptr(p + i); }
  __host__ __device__ device_ptr operator-(long i) const { return device_ptr(p - i); }
  __host__ __device__ long operator-(device_ptr q) const { return p - q.p; }
  __host__ __device__ device_ptr &operator+=(long i) { return p += i, *this; }
  __host__ __device__ device_ptr &operator++() { return ++p, *this; }
  __host__ __device__ device_ptr operator++(int) { return device_ptr(p++); }
  __host__ __device__ bool operator==(device_ptr q) const { return p == q.p; }
  __host__ __device__ bool operator!=(device_ptr q) const { return p != q.p; }
  __host__ __device__ bool operator<(device_ptr q) const { return p < q.p; }
  __host__ __device__ explicit operator bool() const { return p; }
};
template <class T>
__host__ __device__ T *raw_pointer_cast(T *p) { return p; }
template <class T>
__host__ __device__ T *raw_pointer_cast(device_ptr<T> p) { return p.get(); }
template <class T>
__host__ __device__ device_ptr<T> device_pointer_cast(T *p) { return device_ptr<T>(p); }
template <class T>
__host__ __device__ T &raw_reference_cast(T &r) { return r; }
template <class T>
__host__ __device__ constexpr const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <class T>
__host__ __device__ constexpr const T &max(const T &a, const T &b) { return a < b ? b : a; }
template <class T, class C>
__host__ __device__ constexpr const T &min(const T &a, const T &b, C less) { return less(b, a) ? b : a; }
template <class T, class C>
__host__ __device__ constexpr const T &max(const T &a, const T &b, C less) { return less(a, b) ? b : a; }

namespace perflint {
struct less {
  template <class A, class B>
  __device__ bool operator()(const A &a, const B &b) const { return a < b; }
};
struct equal {
  template <class A, class B>
  __device__ bool operator()(const A &a, const B &b) const { return a == b; }
};
struct sum {
  template <class A, class B>
  __device__ auto operator()(const A &a, const B &b) const { return a + b; }
};
struct nothing {
  __device__ void operator()(long, long) const {}
};
template <class I>
struct swaps {
  I first;
  __device__ void operator()(long i, long j) const {
    auto value = first[i];
    first[i] = first[j];
    first[j] = value;
  }
};
template <class I, class C, class S>
__device__ void sift(I first, long from, long n, C less, S other) {
  swaps<I> keys{first};
  for (long child; (child = 2 * from + 1) < n; from = child) {
    if (child + 1 < n && less(first[child], first[child + 1])) child++;
    if (!less(first[from], first[child])) return;
    keys(from, child), other(from, child);
  }
}
template <class I, class C, class S>
__device__ void sort(I first, long n, C less, S other) {
  swaps<I> keys{first};
  if (n <= 32) {
    for (long i = 1; i < n; i++)
      for (long j = i; j > 0 && less(first[j], first[j - 1]); j--) keys(j, j - 1), other(j, j - 1);
    return;
  }
  for (long i = n / 2; i-- > 0;) sift(first, i, n, less, other);
  for (long i = n; i-- > 1;) {
    keys(0, i), other(0, i);
    sift(first, 0, i, less, other);
  }
}
}  // namespace perflint

template <class P, class I, class C = perflint::less>
__device__ void sort(const P &, I first, I last, C less = C()) {
  perflint::sort(first, last - first, less, perflint::nothing());
}
template <class P, class I, class C = perflint::less>
__device__ void stable_sort(const P &, I first, I last, C less = C()) {
  for (I i = first; i != last; ++i)
    for (I j = i; j != first && less(*j, *(j - 1)); j = j - 1) perflint::swaps<I>{j - 1}(0, 1);
}
template <class P, class I, class J, class C = perflint::less>
__device__ void sort_by_key(const P &, I first, I last, J values, C less = C()) {
  perflint::sort(first, last - first, less, perflint::swaps<J>{values});
}
template <class P, class I, class J, class C = perflint::less>
__device__ void stable_sort_by_key(const P &, I first, I last, J values, C less = C()) {
  perflint::swaps<I> keys{first};
  perflint::swaps<J> others{values};
  for (long i = 1; i < last - first; i++)
    for (long j = i; j > 0 && less(first[j], first[j - 1]); j--) keys(j, j - 1), others(j, j - 1);
}
template <class P, class I, class T, class F = perflint::sum>
__device__ T reduce(const P &, I first, I last, T from, F f = F()) {
  for (; first != last; ++first) from = f(from, *first);
  return from;
}
template <class P, class I>
__device__ auto reduce(const P &p, I first, I last) {
  ::cuda::std::decay_t<decltype(*first)> zero{};
  return reduce(p, first, last, zero);
}
template <class P, class I, class U, class T, class F>
__device__ T transform_reduce(const P &, I first, I last, U u, T from, F f) {
  for (; first != last; ++first) from = f(from, u(*first));
  return from;
}
template <class P, class I, class J, class T>
__device__ T inner_product(const P &, I first, I last, J other, T from) {
  for (; first != last; ++first, ++other) from = from + *first * *other;
  return from;
}
template <class P, class I, class J, class T, class F, class G>
__device__ T inner_product(const P &, I first, I last, J other, T from, F f, G g) {
  for (; first != last; ++first, ++other) from = f(from, g(*first, *other));
  return from;
}
template <class P, class I, class C = perflint::less>
__device__ I min_element(const P &, I first, I last, C less = C()) {
  I best = first;
  for (; first != last; ++first)
    if (less(*first, *best)) best = first;
  return best;
}
template <class P, class I, class C = perflint::less>
__device__ I max_element(const P &, I first, I last, C less = C()) {
  I best = first;
  for (; first != last; ++first)
    if (less(*best, *first)) best = first;
  return best;
}
template <class P, class I, class T, class C = perflint::less>
__device__ I lower_bound(const P &, I first, I last, const T &x, C less = C()) {
  for (long n = last - first; n > 0;) {
    long half = n / 2;
    if (less(first[half], x)) first = first + (half + 1), n -= half + 1;
    else n = half;
  }
  return first;
}
template <class P, class I, class T, class C = perflint::less>
__device__ I upper_bound(const P &, I first, I last, const T &x, C less = C()) {
  for (long n = last - first; n > 0;) {
    long half = n / 2;
    if (!less(x, first[half])) first = first + (half + 1), n -= half + 1;
    else n = half;
  }
  return first;
}
template <class P, class I, class T, class C = perflint::less>
__device__ bool binary_search(const P &p, I first, I last, const T &x, C less = C()) {
  I at = lower_bound(p, first, last, x, less);
  return at != last && !less(x, *at);
}
template <class P, class I, class T>
__device__ void fill(const P &, I first, I last, const T &x) {
  for (; first != last; ++first) *first = x;
}
template <class P, class I, class N, class T>
__device__ I fill_n(const P &, I first, N n, const T &x) {
  for (; n > 0; --n, ++first) *first = x;
  return first;
}
template <class P, class I, class J>
__device__ J copy(const P &, I first, I last, J to) {
  for (; first != last; ++first, ++to) *to = *first;
  return to;
}
template <class P, class I, class N, class J>
__device__ J copy_n(const P &, I first, N n, J to) {
  for (; n > 0; --n, ++first, ++to) *to = *first;
  return to;
}
template <class P, class I, class J, class F>
__device__ J copy_if(const P &, I first, I last, J to, F f) {
  for (; first != last; ++first)
    if (f(*first)) *to = *first, ++to;
  return to;
}
template <class P, class I, class J, class F>
__device__ J transform(const P &, I first, I last, J to, F f) {
  for (; first != last; ++first, ++to) *to = f(*first);
  return to;
}
template <class P, class I, class J, class K, class F>
__device__ K transform(const P &, I first, I last, J other, K to, F f) {
  for (; first != last; ++first, ++other, ++to) *to = f(*first, *other);
  return to;
}
template <class P, class I, class F>
__device__ I for_each(const P &, I first, I last, F f) {
  for (; first != last; ++first) f(*first);
  return first;
}
template <class P, class I, class N, class F>
__device__ I for_each_n(const P &, I first, N n, F f) {
  for (; n > 0; --n, ++first) f(*first);
  return first;
}
template <class P, class I, class T>
__device__ long count(const P &, I first, I last, const T &x) {
  long n = 0;
  for (; first != last; ++first) n += *first == x;
  return n;
}
template <class P, class I, class F>
__device__ long count_if(const P &, I first, I last, F f) {
  long n = 0;
  for (; first != last; ++first) n += bool(f(*first));
  return n;
}
template <class P, class I, class T>
__device__ I find(const P &, I first, I last, const T &x) {
  while (first != last && !(*first == x)) ++first;
  return first;
}
template <class P, class I, class F>
__device__ I find_if(const P &, I first, I last, F f) {
  while (first != last && !f(*first)) ++first;
  return first;
}
template <class P, class I, class F>
__device__ bool any_of(const P &p, I first, I last, F f) { return find_if(p, first, last, f) != last; }
template <class P, class I, class F>
__device__ bool none_of(const P &p, I first, I last, F f) { return !any_of(p, first, last, f); }
template <class P, class I, class F>
__device__ bool all_of(const P &, I first, I last, F f) {
  while (first != last && f(*first)) ++first;
  return first == last;
}
template <class P, class I, class J>
__device__ bool equal(const P &, I first, I last, J other) {
  for (; first != last; ++first, ++other)
    if (!(*first == *other)) return false;
  return true;
}
template <class P, class I, class J, class F>
__device__ bool equal(const P &, I first, I last, J other, F f) {
  for (; first != last; ++first, ++other)
    if (!f(*first, *other)) return false;
  return true;
}
template <class P, class I, class J, class F = perflint::sum>
__device__ J inclusive_scan(const P &, I first, I last, J to, F f = F()) {
  if (first == last) return to;
  ::cuda::std::decay_t<decltype(*first)> so_far = *first;
  *to = so_far;
  for (++first, ++to; first != last; ++first, ++to) *to = so_far = f(so_far, *first);
  return to;
}
template <class P, class I, class J, class T, class F = perflint::sum>
__device__ J exclusive_scan(const P &, I first, I last, J to, T from, F f = F()) {
  for (; first != last; ++first, ++to) {
    T next = f(from, *first);
    *to = from;
    from = next;
  }
  return to;
}
template <class P, class I, class J>
__device__ J exclusive_scan(const P &p, I first, I last, J to) {
  ::cuda::std::decay_t<decltype(*first)> zero{};
  return exclusive_scan(p, first, last, to, zero);
}
template <class P, class I, class F = perflint::equal>
__device__ I unique(const P &, I first, I last, F same = F()) {
  if (first == last) return last;
  I to = first;
  for (++first; first != last; ++first)
    if (!same(*to, *first)) *++to = *first;
  return ++to;
}
template <class P, class I, class F>
__device__ I remove_if(const P &, I first, I last, F f) {
  I to = first;
  for (; first != last; ++first)
    if (!f(*first)) *to = *first, ++to;
  return to;
}
template <class P, class I>
__device__ void reverse(const P &, I first, I last) {
  for (long i = 0, j = last - first - 1; i < j; i++, j--) perflint::swaps<I>{first}(i, j);
}
template <class P, class I>
__device__ void sequence(const P &, I first, I last) {
  for (long i = 0; first != last; ++first, ++i) *first = i;
}
template <class P, class I, class T>
__device__ void sequence(const P &, I first, I last, T from) {
  for (; first != last; ++first, ++from) *first = from;
}
}  // namespace thrust
