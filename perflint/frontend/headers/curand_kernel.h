// In place of cuRAND's device API, whose wheel perflint does not need. States have the sizes of
// cuRAND's, and generators are the published ones, so that a number costs what it costs there.
// Where a sequence begins is another place than cuRAND's.
#pragma once
struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStateXORWOW curandStateXORWOW_t, curandState_t, curandState;
struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE;
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
struct curandStateMRG32k3a {
  unsigned int s1[3], s2[3];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStateMRG32k3a curandStateMRG32k3a_t;
struct curandStateSobol32 {
  unsigned int i, x, c, direction_vectors[32];
};
typedef curandStateSobol32 curandStateSobol32_t;
struct curandStateScrambledSobol32 {
  unsigned int i, x, c, direction_vectors[32];
};
typedef curandStateScrambledSobol32 curandStateScrambledSobol32_t;
typedef unsigned int curandDirectionVectors32_t[32];
struct curandStateSobol64 {
  unsigned long long i, x, c, direction_vectors[64];
};
typedef curandStateSobol64 curandStateSobol64_t;
struct curandStateScrambledSobol64 {
  unsigned long long i, x, c, direction_vectors[64];
};
typedef curandStateScrambledSobol64 curandStateScrambledSobol64_t;
typedef unsigned long long curandDirectionVectors64_t[64];

namespace perflint_curand {
// G. Marsaglia, "Xorshift RNGs" (2003), section 3.1.
__device__ inline unsigned int next(curandStateXORWOW *s) {
  unsigned int t = s->v[0] ^ (s->v[0] >> 2);
  s->v[0] = s->v[1], s->v[1] = s->v[2], s->v[2] = s->v[3], s->v[3] = s->v[4];
  s->v[4] = s->v[4] ^ (s->v[4] << 4) ^ t ^ (t << 1);
  s->d += 362437;
  return s->v[4] + s->d;
}
// A jump multiplies the state by a matrix of 160 x 160 bits for each digit of `n` to the base of 4,
// as often as the digit says. cuRAND has the matrices in tables; here a part of one is made up.
__device__ inline void jump(curandStateXORWOW *s, unsigned long long n, unsigned int place) {
  for (; n; n >>= 2, place++) {
    for (unsigned int turn = 0; turn < (n & 3); turn++) {
      unsigned int sum[5] = {0, 0, 0, 0, 0};
#pragma unroll
      for (unsigned int i = 0; i < 5; i++) {
        for (unsigned int bit = 0; bit < 32; bit += 4) {
          unsigned int row = (place * 160 + i * 32 + bit) * 2654435761u, is_set = -(s->v[i] >> bit & 1);
#pragma unroll
          for (unsigned int k = 0; k < 5; k++) sum[k] ^= is_set & (row = row * 1664525u + 1013904223u);
        }
      }
      for (unsigned int i = 0; i < 5; i++) s->v[i] = sum[i];
    }
  }
}
__device__ inline void seed(curandStateXORWOW *s, unsigned long long seed, unsigned long long sequence,
                            unsigned long long offset) {
  unsigned int low = (unsigned int)seed * 1664525u, high = (unsigned int)(seed >> 32) * 22695477u;
  s->d = 6615241 + low + high;
  s->v[0] = 123456789 + low, s->v[1] = 362436069 ^ low, s->v[2] = 521288629 + high;
  s->v[3] = 88675123 ^ high, s->v[4] = 5783321 + low;
  jump(s, sequence, 32);
  jump(s, offset, 0);
  s->d += 362437 * (unsigned int)offset;
  s->boxmuller_flag = s->boxmuller_flag_double = 0;
  s->boxmuller_extra = 0, s->boxmuller_extra_double = 0;
}

// Philox-4x32-10: J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).
__device__ inline uint4 rounds(uint4 c, uint2 key) {
#pragma unroll
  for (int i = 0; i < 10; i++) {
    unsigned int x = __umulhi(0xD2511F53u, c.x), z = __umulhi(0xCD9E8D57u, c.z);
    c = make_uint4(z ^ c.y ^ key.x, 0xCD9E8D57u * c.z, x ^ c.w ^ key.y, 0xD2511F53u * c.x);
    key.x += 0x9E3779B9u, key.y += 0xBB67AE85u;
  }
  return c;
}
__device__ inline void add(curandStatePhilox4_32_10 *s, unsigned long long low, unsigned long long high) {
  unsigned long long a = s->ctr.y, b = s->ctr.w;
  a = a << 32 | s->ctr.x, b = b << 32 | s->ctr.z;
  b += high + (a + low < a), a += low;
  s->ctr = make_uint4((unsigned int)a, (unsigned int)(a >> 32), (unsigned int)b, (unsigned int)(b >> 32));
  s->output = rounds(s->ctr, s->key);
}
__device__ inline unsigned int next(curandStatePhilox4_32_10 *s) {
  unsigned int i = s->STATE++;
  unsigned int number = i == 0 ? s->output.x : i == 1 ? s->output.y : i == 2 ? s->output.z : s->output.w;
  if (s->STATE == 4) {
    add(s, 1, 0);
    s->STATE = 0;
  }
  return number;
}
__device__ inline void jump(curandStatePhilox4_32_10 *s, unsigned long long n, unsigned int) {
  n += s->STATE;
  add(s, n >> 2, 0);
  s->STATE = n & 3;
}
__device__ inline void seed(curandStatePhilox4_32_10 *s, unsigned long long seed,
                            unsigned long long sequence, unsigned long long offset) {
  s->ctr = make_uint4(0, 0, (unsigned int)sequence, (unsigned int)(sequence >> 32));
  s->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
  s->STATE = 0;
  jump(s, offset, 0);
  s->boxmuller_flag = s->boxmuller_flag_double = 0;
  s->boxmuller_extra = 0, s->boxmuller_extra_double = 0;
}

// P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number
// generators" (1999), MRG32k3a.
__device__ inline unsigned int next(curandStateMRG32k3a *s) {
  const unsigned long long m1 = 4294967087ull, m2 = 4294944443ull;
  unsigned int a = (1403580ull * s->s1[1] + 810728ull * (m1 - s->s1[0])) % m1;
  unsigned int b = (527612ull * s->s2[2] + 1370589ull * (m2 - s->s2[0])) % m2;
  s->s1[0] = s->s1[1], s->s1[1] = s->s1[2], s->s1[2] = a;
  s->s2[0] = s->s2[1], s->s2[1] = s->s2[2], s->s2[2] = b;
  return a - b + (a <= b ? 4294967087u : 0u);
}
__device__ inline void jump(curandStateMRG32k3a *s, unsigned long long n, unsigned int place) {
  for (; n; n >>= 1, place++) {
    if (n & 1) {
      s->s1[2] = (s->s1[2] ^ (place + 1) * 2654435761u) % 4294967087u;
#pragma unroll
      for (int i = 0; i < 9; i++) next(s);  // as many products as one of matrices has
    }
  }
}
__device__ inline void seed(curandStateMRG32k3a *s, unsigned long long seed, unsigned long long sequence,
                            unsigned long long offset) {
  unsigned int low = (unsigned int)seed ^ 0x55555555u, high = (unsigned int)(seed >> 32) ^ 0xAAAAAAAAu;
  s->s1[0] = s->s2[2] = low * 1234567u % 4294944443u, s->s1[1] = s->s2[0] = 12345u ^ high;
  s->s1[2] = s->s2[1] = (low + high) % 4294944443u;
  jump(s, sequence, 32);
  jump(s, offset, 0);
  s->boxmuller_flag = s->boxmuller_flag_double = 0;
  s->boxmuller_extra = 0, s->boxmuller_extra_double = 0;
}

// Sobol' sequences in the order of Gray codes (P. Bratley and B. Fox, 1988).
template <class S, class T>
__device__ inline void seed(S *s, const T *vectors, T first, T offset) {
  for (int i = 0; i < (int)sizeof(T) * 8; i++) s->direction_vectors[i] = vectors[i];
  T code = offset ^ (offset >> 1), x = first;
  for (int i = 0; i < (int)sizeof(T) * 8; i++) x ^= code >> i & 1 ? vectors[i] : 0;
  s->c = first, s->x = x, s->i = offset;
}
template <class S>
__device__ inline auto sobol(S *s, int zero) {
  auto number = s->x;
  s->x ^= s->direction_vectors[zero - 1], s->i++;
  return number;
}
__device__ inline unsigned int next(curandStateSobol32 *s) { return sobol(s, __ffs(~s->i)); }
__device__ inline unsigned int next(curandStateScrambledSobol32 *s) { return sobol(s, __ffs(~s->i)); }
__device__ inline unsigned long long next(curandStateSobol64 *s) { return sobol(s, __ffsll(~s->i)); }
__device__ inline unsigned long long next(curandStateScrambledSobol64 *s) {
  return sobol(s, __ffsll(~s->i));
}

__device__ inline float unit(unsigned int x) { return x * 2.3283064e-10f + 1.1641532e-10f; }
__device__ inline float unit(unsigned long long x) { return x * 5.4210108e-20f + 2.7105054e-20f; }
__device__ inline double wide(unsigned long long x) {
  return (x >> 11) * 1.1102230246251565e-16 + 5.5511151231257827e-17;
}
template <class S>
__device__ inline double wide(S *s) {
  unsigned long long x = next(s);
  return wide(sizeof(next(s)) == 8 ? x : x << 32 ^ next(s));
}
// G. Box and M. Muller, "A note on the generation of random normal deviates" (1958).
__device__ inline float2 pair(float u, float v) {
  float2 at, length = make_float2(sqrtf(-2 * logf(u)), 0);
  sincospif(2 * v, &at.x, &at.y);
  return make_float2(length.x * at.x, length.x * at.y);
}
__device__ inline double2 pair(double u, double v) {
  double2 at;
  double length = sqrt(-2 * log(u));
  sincospi(2 * v, &at.x, &at.y);
  return make_double2(length * at.x, length * at.y);
}
}  // namespace perflint_curand

template <class S>
__device__ inline void curand_init(unsigned long long seed, unsigned long long sequence,
                                   unsigned long long offset, S *state) {
  perflint_curand::seed(state, seed, sequence, offset);
}
template <class S>
__device__ inline void curand_init(unsigned int *vectors, unsigned int offset, S *state) {
  perflint_curand::seed(state, vectors, 0u, offset);
}
template <class S>
__device__ inline void curand_init(unsigned int *vectors, unsigned int c, unsigned int offset, S *state) {
  perflint_curand::seed(state, vectors, c, offset);
}
template <class S>
__device__ inline void curand_init(unsigned long long *vectors, unsigned int offset, S *state) {
  perflint_curand::seed(state, vectors, 0ull, (unsigned long long)offset);
}
template <class S>
__device__ inline void curand_init(unsigned long long *vectors, unsigned long long c, unsigned int offset,
                                   S *state) {
  perflint_curand::seed(state, vectors, c, (unsigned long long)offset);
}
template <class S>
__device__ inline void skipahead(unsigned long long n, S *state) {
  perflint_curand::jump(state, n, 0);
}
template <class S>
__device__ inline void skipahead_sequence(unsigned long long n, S *state) {
  perflint_curand::jump(state, n, 32);
}
__device__ inline void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10 *state) {
  perflint_curand::add(state, 0, n);
}
template <class S>
__device__ inline auto curand(S *state) {
  return perflint_curand::next(state);
}
__device__ inline uint4 curand4(curandStatePhilox4_32_10 *state) {
  uint4 old = state->output;
  unsigned int i = state->STATE;
  perflint_curand::add(state, 1, 0);
  uint4 now = state->output;
  if (i == 0) return old;
  if (i == 1) return make_uint4(old.y, old.z, old.w, now.x);
  if (i == 2) return make_uint4(old.z, old.w, now.x, now.y);
  return make_uint4(old.w, now.x, now.y, now.z);
}
template <class S>
__device__ inline float curand_uniform(S *state) {
  return perflint_curand::unit(curand(state));
}
template <class S>
__device__ inline double curand_uniform_double(S *state) {
  return perflint_curand::wide(state);
}
template <class S>
__device__ inline float4 curand_uniform4(S *state) {
  using perflint_curand::unit;
  uint4 x = curand4(state);
  return make_float4(unit(x.x), unit(x.y), unit(x.z), unit(x.w));
}
template <class S>
__device__ inline double2 curand_uniform2_double(S *state) {
  double x = perflint_curand::wide(state);
  return make_double2(x, perflint_curand::wide(state));
}
template <class S>
__device__ inline float2 curand_normal2(S *state) {
  float u = curand_uniform(state);
  return perflint_curand::pair(u, curand_uniform(state));
}
template <class S>
__device__ inline double2 curand_normal2_double(S *state) {
  double u = curand_uniform_double(state);
  return perflint_curand::pair(u, curand_uniform_double(state));
}
template <class S>
__device__ inline float4 curand_normal4(S *state) {
  float4 u = curand_uniform4(state);
  float2 a = perflint_curand::pair(u.x, u.y), b = perflint_curand::pair(u.z, u.w);
  return make_float4(a.x, a.y, b.x, b.y);
}
template <class S>
__device__ inline float curand_normal(S *state) {
  if ((state->boxmuller_flag ^= 1) == 0) return state->boxmuller_extra;
  float2 both = curand_normal2(state);
  state->boxmuller_extra = both.y;
  return both.x;
}
template <class S>
__device__ inline double curand_normal_double(S *state) {
  if ((state->boxmuller_flag_double ^= 1) == 0) return state->boxmuller_extra_double;
  double2 both = curand_normal2_double(state);
  state->boxmuller_extra_double = both.y;
  return both.x;
}
// A quasirandom number gives one normal one, by the inverse of the distribution.
#define PERFLINT_NORMAL(STATE)                                                   \
  __device__ inline float curand_normal(STATE *state) {                          \
    return normcdfinvf(curand_uniform(state));                                   \
  }                                                                              \
  __device__ inline double curand_normal_double(STATE *state) {                  \
    return normcdfinv(curand_uniform_double(state));                             \
  }
PERFLINT_NORMAL(curandStateSobol32)
PERFLINT_NORMAL(curandStateScrambledSobol32)
PERFLINT_NORMAL(curandStateSobol64)
PERFLINT_NORMAL(curandStateScrambledSobol64)
#undef PERFLINT_NORMAL
template <class S>
__device__ inline float curand_log_normal(S *state, float mean, float deviation) {
  return expf(mean + deviation * curand_normal(state));
}
template <class S>
__device__ inline double curand_log_normal_double(S *state, double mean, double deviation) {
  return exp(mean + deviation * curand_normal_double(state));
}
template <class S>
__device__ inline float2 curand_log_normal2(S *state, float mean, float deviation) {
  float2 both = curand_normal2(state);
  return make_float2(expf(mean + deviation * both.x), expf(mean + deviation * both.y));
}
template <class S>
__device__ inline unsigned int curand_poisson(S *state, double lambda) {
  if (lambda > 64) {  // by the normal distribution that it comes near to
    double number = lambda + sqrt(lambda) * curand_normal_double(state);
    return number > 0 ? (unsigned int)(number + 0.5) : 0;
  }
  unsigned int number = 0;  // D. Knuth, "The Art of Computer Programming", 3.4.1
  for (float product = curand_uniform(state), least = expf(-lambda); product > least; number++)
    product *= curand_uniform(state);
  return number;
}
