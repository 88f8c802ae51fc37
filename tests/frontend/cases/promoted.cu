// kernels: promoted exact
// Of mixed arguments and of integers the host's <cmath> makes doubles; what fits stays as it is.
#include <cmath>
template <class A, class B>
struct same {
  static const bool value = false;
};
template <class A>
struct same<A, A> {
  static const bool value = true;
};
#define IS(type, ...) static_assert(same<type, decltype(__VA_ARGS__)>::value, #__VA_ARGS__)
__global__ void promoted(double *a, float x, int n, size_t s) {
  IS(double, pow(x, 2.0));
  IS(double, pow(2.0, x));
  IS(double, pow(n, 2));
  IS(double, pow(x, s));
  IS(double, std::fmod(x, 2.0));
  IS(double, atan2(x, 1.0));
  IS(double, fmax(x, 0.0));
  IS(double, std::sqrt(n));
  IS(double, exp(n));
  IS(double, fma(x, 2.0, 1.0f));
  a[0] = pow(x, 2.0) + sqrt(n) + log(s) + hypot(x, 2.0) + fma(x, 2.0, 1.0f);
}
__global__ void exact(float *a, float x, double d, int n) {
  IS(float, pow(x, 2.0f));
  IS(float, fmax(x, 0.0f));
  IS(float, std::sqrt(x));
  IS(float, max(x, 0.0f));
  IS(double, sqrt(d));
  IS(double, pow(d, n));
  a[0] = pow(x, 2.0f) + sqrt(x);
}
