// libcurand on the CPU: numbers of the distributions asked for, the same for the same seed and
// offset. They are Philox4x32-10's (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3",
// SC 2011) for every pseudorandom generator, so not those that NVIDIA's would give. All other
// functions return CURAND_STATUS_ARCH_MISMATCH, and are named once.
#include "device.h"
#include <math.h>
#include <stdlib.h>

#define API __attribute__((visibility("default")))
typedef int R;  // curandStatus_t
enum { SUCCESS = 0, NO_GENERATOR = 101, ALLOC_FAILED = 102, TYPE_ERROR = 103, OUT_OF_RANGE = 104, ODD_LENGTH = 105,
       NO_LAUNCH = 201, NO_DEVICE_FOUND = 203, UNSUPPORTED = 204 };
enum { PSEUDO_FIRST = 100, PSEUDO_LAST = 199, ORDERING_LAST = 104 };
typedef struct { u32 magic; u64 seed, at; } Generator;  // `at`: words given so far
#define MAGIC 0x63726e64u

// --- words ---------------------------------------------------------------------------------------

static void philox(u64 block, u64 seed, u32 out[4]) {
  u32 x[4] = {(u32)block, (u32)(block >> 32), 0, 0}, k0 = (u32)seed, k1 = (u32)(seed >> 32);
  for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
    u64 a = (u64)0xD2511F53u * x[0], b = (u64)0xCD9E8D57u * x[2];
    u32 next[] = {(u32)(b >> 32) ^ x[1] ^ k0, (u32)b, (u32)(a >> 32) ^ x[3] ^ k1, (u32)a};
    for (int i = 0; i < 4; i++) x[i] = next[i];
  }
  for (int i = 0; i < 4; i++) out[i] = x[i];
}
typedef struct { u64 seed, at; u32 words[4]; } Words;
static Words words_of(const Generator *g) {
  Words w = {g->seed, g->at};
  philox(w.at / 4, w.seed, w.words);
  return w;
}
static u32 word(Words *w) {
  u32 found = w->words[w->at % 4];
  if (++w->at % 4 == 0) philox(w->at / 4, w->seed, w->words);
  return found;
}
static u64 wide(Words *w) { u64 low = word(w); return low | (u64)word(w) << 32; }
// Both are above 0 and at most 1, as cuRAND's are.
static float single(Words *w) { return (float)((word(w) >> 8) + 1) * 0x1p-24f; }
static double uniform(Words *w) { return (double)((wide(w) >> 11) + 1) * 0x1p-53; }
static double normal(Words *w, double *second) {  // Box and Muller's pairs
  double radius = sqrt(-2 * log(uniform(w))), angle = 2 * M_PI * uniform(w);
  *second = radius * sin(angle);
  return radius * cos(angle);
}
static u32 poisson(Words *w, double mean) {  // a sum of ones with small means, each by products
  u32 count = 0;
  for (; mean > 0; mean -= 16)
    for (double least = exp(mean < 16 ? -mean : -16), product = uniform(w); product > least; product *= uniform(w)) count++;
  return count;
}

// --- generators ----------------------------------------------------------------------------------

static R created(Generator **out, int type) {
  if (!out || type < PSEUDO_FIRST) return TYPE_ERROR;
  if (type > PSEUDO_LAST) return pd_missing("curandCreateGenerator", "the CPU answers pseudorandom generators only"), TYPE_ERROR;
  *out = calloc(1, sizeof **out);
  if (!*out) return ALLOC_FAILED;
  (*out)->magic = MAGIC;
  return SUCCESS;
}
API R curandCreateGenerator(Generator **out, int type) { return pd_start() ? NO_DEVICE_FOUND : created(out, type); }
API R curandCreateGeneratorHost(Generator **out, int type) { return created(out, type); }
#define VALID() do { if (!g || g->magic != MAGIC) return NO_GENERATOR; } while (0)
API R curandDestroyGenerator(Generator *g) { VALID(); g->magic = 0; free(g); return SUCCESS; }
API R curandSetStream(Generator *g, void *stream) { VALID(); return SUCCESS; }
API R curandSetPseudoRandomGeneratorSeed(Generator *g, u64 seed) { VALID(); g->seed = seed, g->at = 0; return SUCCESS; }
API R curandSetGeneratorOffset(Generator *g, u64 offset) { VALID(); g->at = offset; return SUCCESS; }
API R curandSetGeneratorOrdering(Generator *g, int order) { VALID(); return order < 100 || order > ORDERING_LAST ? OUT_OF_RANGE : SUCCESS; }
API R curandGenerateSeeds(Generator *g) { VALID(); return SUCCESS; }
API R curandGetVersion(int *v) { return v ? (*v = 10400, SUCCESS) : OUT_OF_RANGE; }
API R curandGetProperty(int which, int *v) { return v ? (*v = which == 0 ? 10 : which == 1 ? 4 : 0, SUCCESS) : OUT_OF_RANGE; }

// Fill n places of a type, on the device or the host, by the statement given, which may use `w` and `i`.
#define FILL(name, T, made) do { \
    VALID(); \
    if (pd_answer(name, "cuRAND", "answered on the CPU: numbers of the same distribution, not cuRAND's; no figure is of it")) \
      return NO_LAUNCH; \
    T *to = n ? (T *)pd_host(out, n * sizeof(T)) : 0; \
    if (n && !to) return NO_LAUNCH; \
    Words words = words_of(g), *w = &words; \
    for (size_t i = 0; i < n; i++) made; \
    g->at = w->at; \
    if (n) pd_written(to, n * sizeof(T)); \
    return SUCCESS; \
  } while (0)

API R curandGenerate(Generator *g, u32 *out, size_t n) { FILL("curandGenerate", u32, to[i] = word(w)); }
API R curandGenerateLongLong(Generator *g, u64 *out, size_t n) { FILL("curandGenerateLongLong", u64, to[i] = wide(w)); }
API R curandGenerateUniform(Generator *g, float *out, size_t n) { FILL("curandGenerateUniform", float, to[i] = single(w)); }
API R curandGenerateUniformDouble(Generator *g, double *out, size_t n) { FILL("curandGenerateUniformDouble", double, to[i] = uniform(w)); }
API R curandGeneratePoisson(Generator *g, u32 *out, size_t n, double mean) {
  if (!(mean > 0) || mean > 4e5) return OUT_OF_RANGE;
  FILL("curandGeneratePoisson", u32, to[i] = poisson(w, mean));
}

// Normal numbers come in pairs.
#define NORMAL(name, T, shape) \
  API R name(Generator *g, T *out, size_t n, T mean, T deviation) { \
    double second = 0; \
    if (n % 2) return ODD_LENGTH; \
    if (!(deviation > 0)) return OUT_OF_RANGE; \
    FILL(#name, T, to[i] = (T)shape(mean + deviation * (i % 2 ? second : normal(w, &second)))); \
  }
NORMAL(curandGenerateNormal, float, )
NORMAL(curandGenerateNormalDouble, double, )
NORMAL(curandGenerateLogNormal, float, exp)
NORMAL(curandGenerateLogNormalDouble, double, exp)
