/* Mathematical functions for kernels that no compiler has seen, in the C that is lowered.
 * Textbook methods: argument reduction, then a Taylor series; a few units in the last place for
 * ordinary arguments. They stand in for CUDA's so that a kernel runs; no finding rests on a digit.
 */

double __scaled(double x, int k) {
  /* x * 2^k in two steps, so that neither factor leaves the range. */
  int half = k / 2;
  double a = __longlong_as_double((long long)(half + 1023) << 52);
  double b = __longlong_as_double((long long)(k - half + 1023) << 52);
  return x * a * b;
}

float __scaledf(float x, int k) {
  int half = k / 2;
  return x * __int_as_float((half + 127) << 23) * __int_as_float((k - half + 127) << 23);
}

double exp(double x) {
  double bounded = fmin(fmax(x, -746.0), 710.0);
  double k = rint(bounded * 1.4426950408889634);
  double r = fma(k, -6.93147180369123816490e-01, bounded);
  r = fma(k, -1.90821492927058770002e-10, r);
  double s = 1.0 / 6227020800.0;
  s = fma(s, r, 1.0 / 479001600.0);
  s = fma(s, r, 1.0 / 39916800.0);
  s = fma(s, r, 1.0 / 3628800.0);
  s = fma(s, r, 1.0 / 362880.0);
  s = fma(s, r, 1.0 / 40320.0);
  s = fma(s, r, 1.0 / 5040.0);
  s = fma(s, r, 1.0 / 720.0);
  s = fma(s, r, 1.0 / 120.0);
  s = fma(s, r, 1.0 / 24.0);
  s = fma(s, r, 1.0 / 6.0);
  s = fma(s, r, 0.5);
  s = fma(s, r, 1.0);
  s = fma(s, r, 1.0);
  return __scaled(s, (int)k);
}

float expf(float x) {
  float bounded = fminf(fmaxf(x, -104.0f), 89.0f);
  float k = rintf(bounded * 1.442695041f);
  float r = fmaf(k, -0.693359375f, bounded);
  r = fmaf(k, 2.12194440e-4f, r);
  return __scaledf(__exp2_approximate(r * 1.442695041f), (int)k);
}

double log(double x) {
  double scaled = x;
  int e = 0;
  if (x < 2.2250738585072014e-308) {
    scaled = x * 18014398509481984.0;
    e = -54;
  }
  long long bits = __double_as_longlong(scaled);
  e += (int)(bits >> 52) - 1023;
  double m = __longlong_as_double((bits & 4503599627370495LL) | 4607182418800017408LL);
  if (m > 1.4142135623730951) {
    m = m * 0.5;
    e = e + 1;
  }
  double s = (m - 1.0) / (m + 1.0);
  double z = s * s;
  double p = 1.0 / 23.0;
  p = fma(p, z, 1.0 / 21.0);
  p = fma(p, z, 1.0 / 19.0);
  p = fma(p, z, 1.0 / 17.0);
  p = fma(p, z, 1.0 / 15.0);
  p = fma(p, z, 1.0 / 13.0);
  p = fma(p, z, 1.0 / 11.0);
  p = fma(p, z, 1.0 / 9.0);
  p = fma(p, z, 1.0 / 7.0);
  p = fma(p, z, 1.0 / 5.0);
  p = fma(p, z, 1.0 / 3.0);
  p = fma(p, z, 1.0);
  double result = fma((double)e, 0.69314718055994531, 2.0 * s * p);
  if (x == 0.0) result = __longlong_as_double((long long)0xfff0000000000000ULL);
  if (x < 0.0) result = (x - x) / (x - x);
  if (x > 1.7976931348623157e308) result = x;
  return result;
}

float logf(float x) {
  float scaled = x;
  int e = 0;
  if (x < 1.17549435e-38f) {
    scaled = x * 33554432.0f;
    e = -25;
  }
  int bits = __float_as_int(scaled);
  e += (bits >> 23) - 127;
  float m = __int_as_float((bits & 8388607) | 1065353216);
  if (m > 1.41421356f) {
    m = m * 0.5f;
    e = e + 1;
  }
  float s = (m - 1.0f) / (m + 1.0f);
  float z = s * s;
  float p = 1.0f / 11.0f;
  p = fmaf(p, z, 1.0f / 9.0f);
  p = fmaf(p, z, 1.0f / 7.0f);
  p = fmaf(p, z, 1.0f / 5.0f);
  p = fmaf(p, z, 1.0f / 3.0f);
  p = fmaf(p, z, 1.0f);
  float result = fmaf((float)e, 0.693147181f, 2.0f * s * p);
  if (x == 0.0f) result = __int_as_float((int)0xff800000);
  if (x < 0.0f) result = __int_as_float(0x7fffffff);
  if (x > 3.40282347e38f) result = x;
  return result;
}

double __sine(double r) {
  double z = r * r;
  double p = 1.0 / 355687428096000.0;
  p = fma(p, z, -1.0 / 1307674368000.0);
  p = fma(p, z, 1.0 / 6227020800.0);
  p = fma(p, z, -1.0 / 39916800.0);
  p = fma(p, z, 1.0 / 362880.0);
  p = fma(p, z, -1.0 / 5040.0);
  p = fma(p, z, 1.0 / 120.0);
  p = fma(p, z, -1.0 / 6.0);
  return fma(r * z, p, r);
}

double __cosine(double r) {
  double z = r * r;
  double p = 1.0 / 20922789888000.0;
  p = fma(p, z, -1.0 / 87178291200.0);
  p = fma(p, z, 1.0 / 479001600.0);
  p = fma(p, z, -1.0 / 3628800.0);
  p = fma(p, z, 1.0 / 40320.0);
  p = fma(p, z, -1.0 / 720.0);
  p = fma(p, z, 1.0 / 24.0);
  p = fma(p, z, -0.5);
  return fma(z, p, 1.0);
}

double __turned(double x, int quarters) {
  /* sin(x + quarters * pi / 2), argument reduced in three steps. */
  double k = rint(x * 0.63661977236758134);
  double r = fma(k, -1.5707963267341256, x);
  r = fma(k, -6.0771005063039e-11, r);
  r = fma(k, -2.9127320560933e-20, r);
  int q = ((int)(long long)k + quarters) & 3;
  double result = (q & 1) ? __cosine(r) : __sine(r);
  return (q & 2) ? -result : result;
}

double sin(double x) { return __turned(x, 0); }
double cos(double x) { return __turned(x, 1); }
double tan(double x) { return __turned(x, 0) / __turned(x, 1); }

float __sinef(float r) {
  float z = r * r;
  float p = fmaf(2.75573192e-6f, z, -1.98412698e-4f);
  p = fmaf(p, z, 8.33333333e-3f);
  p = fmaf(p, z, -0.166666667f);
  return fmaf(r * z, p, r);
}

float __cosinef(float r) {
  float z = r * r;
  float p = fmaf(2.48015873e-5f, z, -1.38888889e-3f);
  p = fmaf(p, z, 4.16666667e-2f);
  p = fmaf(p, z, -0.5f);
  return fmaf(z, p, 1.0f);
}

float __turnedf(float x, int quarters) {
  float k = rintf(x * 0.636619772f);
  float r = fmaf(k, -1.57079601f, x);
  r = fmaf(k, -3.13916473e-7f, r);
  r = fmaf(k, -5.39030253e-15f, r);
  int q = ((int)k + quarters) & 3;
  float result = (q & 1) ? __cosinef(r) : __sinef(r);
  return (q & 2) ? -result : result;
}

float sinf(float x) { return __turnedf(x, 0); }
float cosf(float x) { return __turnedf(x, 1); }
float tanf(float x) { return __turnedf(x, 0) / __turnedf(x, 1); }

double atan(double x) {
  double a = fabs(x);
  double t = (a > 1.0) ? 1.0 / a : a;
  t = t / (1.0 + sqrt(fma(t, t, 1.0)));
  t = t / (1.0 + sqrt(fma(t, t, 1.0)));
  double z = t * t;
  double p = 1.0 / 21.0;
  p = fma(p, -z, 1.0 / 19.0);
  p = fma(p, -z, 1.0 / 17.0);
  p = fma(p, -z, 1.0 / 15.0);
  p = fma(p, -z, 1.0 / 13.0);
  p = fma(p, -z, 1.0 / 11.0);
  p = fma(p, -z, 1.0 / 9.0);
  p = fma(p, -z, 1.0 / 7.0);
  p = fma(p, -z, 1.0 / 5.0);
  p = fma(p, -z, 1.0 / 3.0);
  p = fma(p, -z, 1.0);
  double angle = 4.0 * t * p;
  if (a > 1.0) angle = 1.5707963267948966 - angle;
  return x < 0.0 ? -angle : angle;
}

float atanf(float x) {
  float a = fabsf(x);
  float t = (a > 1.0f) ? 1.0f / a : a;
  t = t / (1.0f + sqrtf(fmaf(t, t, 1.0f)));
  t = t / (1.0f + sqrtf(fmaf(t, t, 1.0f)));
  float z = t * t;
  float p = 1.0f / 11.0f;
  p = fmaf(p, -z, 1.0f / 9.0f);
  p = fmaf(p, -z, 1.0f / 7.0f);
  p = fmaf(p, -z, 1.0f / 5.0f);
  p = fmaf(p, -z, 1.0f / 3.0f);
  p = fmaf(p, -z, 1.0f);
  float angle = 4.0f * t * p;
  if (a > 1.0f) angle = 1.57079633f - angle;
  return x < 0.0f ? -angle : angle;
}

double atan2(double y, double x) {
  double angle = atan(y / x);
  if (x == 0.0) angle = (y > 0.0) ? 1.5707963267948966 : ((y < 0.0) ? -1.5707963267948966 : 0.0);
  if (x < 0.0) angle = (y < 0.0) ? angle - 3.1415926535897932 : angle + 3.1415926535897932;
  return angle;
}

float atan2f(float y, float x) {
  float angle = atanf(y / x);
  if (x == 0.0f) angle = (y > 0.0f) ? 1.57079633f : ((y < 0.0f) ? -1.57079633f : 0.0f);
  if (x < 0.0f) angle = (y < 0.0f) ? angle - 3.14159265f : angle + 3.14159265f;
  return angle;
}

double asin(double x) { return atan(x / sqrt(fma(-x, x, 1.0))); }
double acos(double x) { return 1.5707963267948966 - atan(x / sqrt(fma(-x, x, 1.0))); }
float asinf(float x) { return atanf(x / sqrtf(fmaf(-x, x, 1.0f))); }
float acosf(float x) { return 1.57079633f - atanf(x / sqrtf(fmaf(-x, x, 1.0f))); }

double pow(double x, double y) {
  double size = exp(y * log(fabs(x)));
  int whole = rint(y) == y;
  int odd = whole && rint(y * 0.5) != y * 0.5;
  if (x < 0.0) size = whole ? (odd ? -size : size) : (x - x) / (x - x);
  if (x == 0.0) size = (y > 0.0) ? 0.0 : 1.0 / fabs(x);
  return (y == 0.0) ? 1.0 : size;
}

float powf(float x, float y) {
  float size = expf(y * logf(fabsf(x)));
  int whole = rintf(y) == y;
  int odd = whole && rintf(y * 0.5f) != y * 0.5f;
  if (x < 0.0f) size = whole ? (odd ? -size : size) : __int_as_float(0x7fffffff);
  if (x == 0.0f) size = (y > 0.0f) ? 0.0f : 1.0f / fabsf(x);
  return (y == 0.0f) ? 1.0f : size;
}

double exp2(double x) { return exp(x * 0.69314718055994531); }
double exp10(double x) { return exp(x * 2.3025850929940457); }
double expm1(double x) { return fabs(x) < 1e-5 ? fma(0.5 * x, x, x) : exp(x) - 1.0; }
double log2(double x) { return log(x) * 1.4426950408889634; }
double log10(double x) { return log(x) * 0.43429448190325183; }
double log1p(double x) { return fabs(x) < 1e-5 ? fma(-0.5 * x, x, x) : log(1.0 + x); }
double sinh(double x) { return 0.5 * (exp(x) - exp(-x)); }
double cosh(double x) { return 0.5 * (exp(x) + exp(-x)); }
double tanh(double x) {
  double t = exp(-2.0 * fabs(x));
  double size = (1.0 - t) / (1.0 + t);
  return x < 0.0 ? -size : size;
}
double hypot(double x, double y) { return sqrt(fma(x, x, y * y)); }
double rsqrt(double x) { return 1.0 / sqrt(x); }
double cbrt(double x) { return x == 0.0 ? x : copysign(exp(log(fabs(x)) / 3.0), x); }
double fmod(double x, double y) { return fma(-trunc(x / y), y, x); }
double round(double x) { return copysign(trunc(fabs(x) + 0.5), x); }
double ldexp(double x, int k) { return __scaled(x, k); }
double fdim(double x, double y) { return x > y ? x - y : 0.0; }
double copysign(double x, double y) {
  long long sign = __double_as_longlong(y) & (long long)0x8000000000000000ULL;
  return __longlong_as_double((__double_as_longlong(x) & 0x7fffffffffffffffLL) | sign);
}

float exp2f(float x) { return __exp2_approximate(x); }
float exp10f(float x) { return expf(x * 2.30258509f); }
float expm1f(float x) { return fabsf(x) < 1e-3f ? fmaf(0.5f * x, x, x) : expf(x) - 1.0f; }
float log2f(float x) { return logf(x) * 1.44269504f; }
float log10f(float x) { return logf(x) * 0.434294482f; }
float log1pf(float x) { return fabsf(x) < 1e-3f ? fmaf(-0.5f * x, x, x) : logf(1.0f + x); }
float sinhf(float x) { return 0.5f * (expf(x) - expf(-x)); }
float coshf(float x) { return 0.5f * (expf(x) + expf(-x)); }
float tanhf(float x) {
  float t = expf(-2.0f * fabsf(x));
  float size = (1.0f - t) / (1.0f + t);
  return x < 0.0f ? -size : size;
}
float hypotf(float x, float y) { return sqrtf(fmaf(x, x, y * y)); }
float cbrtf(float x) { return x == 0.0f ? x : copysignf(expf(logf(fabsf(x)) / 3.0f), x); }
float fmodf(float x, float y) { return fmaf(-truncf(x / y), y, x); }
float roundf(float x) { return copysignf(truncf(fabsf(x) + 0.5f), x); }
float ldexpf(float x, int k) { return __scaledf(x, k); }
float fdimf(float x, float y) { return x > y ? x - y : 0.0f; }
float copysignf(float x, float y) {
  return __int_as_float((__float_as_int(x) & 0x7fffffff) | (__float_as_int(y) & (int)0x80000000));
}

float __expf(float x) { return __exp2_approximate(x * 1.44269504f); }
float __logf(float x) { return __log2f(x) * 0.693147181f; }
float __log10f(float x) { return __log2f(x) * 0.301029996f; }
float __powf(float x, float y) { return __exp2_approximate(y * __log2f(x)); }
float __exp10f(float x) { return __exp2_approximate(x * 3.32192809f); }
float __tanf(float x) { return __sinf(x) / __cosf(x); }

int isnan(double x) { return x != x; }
int isinf(double x) { return fabs(x) > 1.7976931348623157e308; }
int isfinite(double x) { return fabs(x) <= 1.7976931348623157e308; }
int signbit(double x) { return __double_as_longlong(x) < 0; }
