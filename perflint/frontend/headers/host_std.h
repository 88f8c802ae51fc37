// The classes of C++'s library that only the host has, by their sizes on Linux (libstdc++), so that
// a class with such members is laid out as it is there. Device code can do nothing with them: what
// types of functions are made of is declared, and has no body.
#pragma once
namespace perflint_host {
template <unsigned long long size>
struct words {
  unsigned long long w[size / 8];
};
template <class T>
T &value();
template <class T>
T *pointer_to();
// The allocator of another type: what it says itself, or its template.
template <class U, class A>
typename A::template rebind<U>::other rebound(A *, int);
template <class U, template <class, class...> class A, class T, class... R>
A<U, R...> rebound(A<T, R...> *, long);
template <class T>
struct sequence {
  using value_type = T;
  using size_type = unsigned long;
  using difference_type = long;
  using reference = T &;
  using const_reference = const T &;
  using pointer = T *;
  using iterator = T *;
  using const_iterator = const T *;
  using reverse_iterator = T *;
  using const_reverse_iterator = const T *;
  T *begin();
  T *end();
  T *rbegin();
  T *rend();
  T *data();
  T &front();
  T &back();
  T &operator[](size_type);
  T &at(size_type);
  const T *begin() const;
  const T *end() const;
  const T *cbegin() const;
  const T *cend() const;
  const T *rbegin() const;
  const T *rend() const;
  const T *data() const;
  const T &front() const;
  const T &back() const;
  const T &operator[](size_type) const;
  const T &at(size_type) const;
  size_type size() const;
  bool empty() const;
  friend bool operator==(const sequence &, const sequence &);
  friend bool operator!=(const sequence &, const sequence &);
  friend bool operator<(const sequence &, const sequence &);
};
template <class T>
struct owner {
  using element_type = T;
  T *get() const;
  T *operator->() const;
  decltype(perflint_host::value<T>()) operator*() const;
  explicit operator bool() const;
};
template <class T, class V>
struct container {
  using key_type = T;
  using mapped_type = V;
  using size_type = unsigned long;
  struct iterator {};
  struct const_iterator {};
};
}  // namespace perflint_host
namespace std {
template <class T, class...>
class vector : public perflint_host::sequence<T> { perflint_host::words<24> w; };
template <class... A>
class vector<bool, A...> { perflint_host::words<40> w; };
template <class T, class...>
class basic_string : public perflint_host::sequence<T> {
  perflint_host::words<32> w;
 public:
  basic_string() = default;
  __device__ basic_string(const T *) {}
};
using string = basic_string<char>;
using wstring = basic_string<wchar_t>;
template <class T, class...>
class basic_string_view : public perflint_host::sequence<T> {
  perflint_host::words<16> w;
 public:
  basic_string_view() = default;
  __device__ basic_string_view(const T *) {}
  __device__ basic_string_view(const basic_string<T> &) {}
};
using string_view = basic_string_view<char>;
template <class T>
struct hash;
template <class T, class...>
class list : public perflint_host::sequence<T> { perflint_host::words<24> w; };
template <class T, class...>
class forward_list : public perflint_host::sequence<T> { perflint_host::words<8> w; };
template <class T, class...>
class deque : public perflint_host::sequence<T> { perflint_host::words<80> w; };
template <class T, class...>
class queue { perflint_host::words<80> w; };
template <class T, class...>
class stack { perflint_host::words<80> w; };
template <class T, class...>
class priority_queue { perflint_host::words<32> w; };
template <class K, class V, class...>
class map : public perflint_host::container<K, V> { perflint_host::words<48> w; };
template <class K, class V, class...>
class multimap : public perflint_host::container<K, V> { perflint_host::words<48> w; };
template <class K, class...>
class set : public perflint_host::container<K, K> { perflint_host::words<48> w; };
template <class K, class...>
class multiset : public perflint_host::container<K, K> { perflint_host::words<48> w; };
template <class K, class V, class...>
class unordered_map : public perflint_host::container<K, V> { perflint_host::words<56> w; };
template <class K, class V, class...>
class unordered_multimap : public perflint_host::container<K, V> { perflint_host::words<56> w; };
template <class K, class...>
class unordered_set : public perflint_host::container<K, K> { perflint_host::words<56> w; };
template <class K, class...>
class unordered_multiset : public perflint_host::container<K, K> { perflint_host::words<56> w; };
template <class F>
class function { perflint_host::words<32> w; };
template <class T, class...>
class unique_ptr : public perflint_host::owner<T> { perflint_host::words<8> w; };
template <class T, class...>
class shared_ptr : public perflint_host::owner<T> {
  perflint_host::words<16> w;
 public:
  shared_ptr() = default;
  __device__ shared_ptr(nullptr_t) {}
};
template <class T>
class weak_ptr { perflint_host::words<16> w; };
template <class T>
class enable_shared_from_this { perflint_host::words<16> w; };
class thread { perflint_host::words<8> w; };
class mutex { perflint_host::words<40> w; };
class recursive_mutex { perflint_host::words<40> w; };
class timed_mutex { perflint_host::words<40> w; };
class shared_mutex { perflint_host::words<56> w; };
class shared_timed_mutex { perflint_host::words<56> w; };
class condition_variable { perflint_host::words<48> w; };
class once_flag { int w; };
template <class M>
class lock_guard { perflint_host::words<8> w; };
template <class M>
class unique_lock { perflint_host::words<16> w; };
template <class M>
class shared_lock { perflint_host::words<16> w; };
template <class... M>
class scoped_lock { perflint_host::words<8> w; };
template <class T>
class future { perflint_host::words<16> w; };
template <class T>
class promise { perflint_host::words<24> w; };
class any { perflint_host::words<16> w; };
class type_index { perflint_host::words<8> w; };
class locale { perflint_host::words<8> w; };
class error_code { perflint_host::words<16> w; };
template <class T>
struct allocator {
  using value_type = T;
};
template <class A>
struct allocator_traits {
  using allocator_type = A;
  using value_type = typename A::value_type;
  using pointer = value_type *;
  using const_pointer = const value_type *;
  using size_type = unsigned long;
  using difference_type = long;
  template <class U>
  using rebind_alloc = decltype(perflint_host::rebound<U>(perflint_host::pointer_to<A>(), 0));
  template <class U>
  using rebind_traits = allocator_traits<rebind_alloc<U>>;
  static pointer allocate(A &, size_type);
  static void deallocate(A &, pointer, size_type);
};
struct tm {
  int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
  long tm_gmtoff;
  const char *tm_zone;
};
namespace filesystem {
class path { perflint_host::words<40> w; };
}  // namespace filesystem
class ostream;
class istream;
class iostream;
class ifstream { perflint_host::words<520> w; };
class ofstream { perflint_host::words<512> w; };
class fstream { perflint_host::words<528> w; };
class stringstream { perflint_host::words<392> w; };
class ostringstream { perflint_host::words<376> w; };
class istringstream { perflint_host::words<384> w; };
class random_device { perflint_host::words<5000> w; };
class mt19937 { perflint_host::words<5000> w; };
class mt19937_64 { perflint_host::words<2504> w; };
class default_random_engine { perflint_host::words<8> w; };
class minstd_rand { perflint_host::words<8> w; };
template <class T = int>
class uniform_int_distribution { T w[2]; };
template <class T = double>
class uniform_real_distribution { T w[2]; };
template <class T = double>
class normal_distribution { T w[3]; bool saved; };
class exception {
 public:
  exception() = default;
  __device__ virtual ~exception() {}
  __device__ virtual const char *what() const noexcept { return ""; }
};
class perflint_error : public exception {
  perflint_host::words<8> w;
 public:
  __device__ perflint_error(const char *) {}
  __device__ perflint_error(const string &) {}
};
struct runtime_error : perflint_error { using perflint_error::perflint_error; };
struct logic_error : perflint_error { using perflint_error::perflint_error; };
struct invalid_argument : logic_error { using logic_error::logic_error; };
struct domain_error : logic_error { using logic_error::logic_error; };
struct length_error : logic_error { using logic_error::logic_error; };
struct out_of_range : logic_error { using logic_error::logic_error; };
struct range_error : runtime_error { using runtime_error::runtime_error; };
struct overflow_error : runtime_error { using runtime_error::runtime_error; };
class bad_alloc : public exception {};
class bad_cast : public exception {};
}  // namespace std
