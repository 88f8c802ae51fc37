#if defined(_MSC_VER) && _MSC_VER < 1910
#define constexpr /*constexpr*/
#endif
struct row {
  float *values, factor;
};
namespace io {
template <class Vec>
bool read(Vec *to, int n) {
  if constexpr (sizeof(Vec) == 8) {
    to->resize(n);
  } else {
    to->assign(n, 0);
  }
  return true;
}
}  // namespace io
