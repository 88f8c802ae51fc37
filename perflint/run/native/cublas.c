// libcublas on the CPU: the products that programs need around their own kernels. Results are right
// (sums are made in double); nothing is said of what they would cost on a GPU. All other functions
// return CUBLAS_STATUS_NOT_SUPPORTED, and are named once.
#include "cublas.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { R32F = 0, R64F = 1, R16F = 2, R16BF = 14 };  // cudaDataType
#define MAGIC 0x63626c61u
static int valid(const Handle *h) { return h && h->magic == MAGIC; }
#define VALID() do { if (!valid(h)) return NO_HANDLE; } while (0)

S blas_begin(const Handle *h, const char *name) {
  VALID();
  Error error = pd_answer(name, "cuBLAS", "answered on the CPU: results are right, no figure is of it");
  return error == NOT_SUPPORTED ? UNSUPPORTED : error ? EXECUTION_FAILED : SUCCESS;
}

API S cublasCreate_v2(Handle **out) {
  if (!out) return BAD_VALUE;
  if (pd_start()) return NO_HANDLE;
  *out = calloc(1, sizeof **out);
  (*out)->magic = MAGIC;
  return SUCCESS;
}
API S cublasDestroy_v2(Handle *h) { VALID(); h->magic = 0; free(h); return SUCCESS; }
API S cublasGetVersion_v2(Handle *h, int *v) { *v = 130000; return SUCCESS; }
API S cublasGetProperty(int which, int *v) { *v = which == 0 ? 13 : 0; return SUCCESS; }
API S cublasSetStream_v2(Handle *h, void *s) { VALID(); h->stream = s; return SUCCESS; }
API S cublasGetStream_v2(Handle *h, void **s) { VALID(); *s = h->stream; return SUCCESS; }
API S cublasSetPointerMode_v2(Handle *h, int mode) { VALID(); h->on_device = mode; return SUCCESS; }
API S cublasGetPointerMode_v2(Handle *h, int *mode) { VALID(); *mode = h->on_device; return SUCCESS; }
API S cublasSetMathMode(Handle *h, int mode) { VALID(); h->math = mode; return SUCCESS; }
API S cublasGetMathMode(Handle *h, int *mode) { VALID(); *mode = h->math; return SUCCESS; }
API S cublasSetAtomicsMode(Handle *h, int mode) { VALID(); h->atomics = mode; return SUCCESS; }
API S cublasGetAtomicsMode(Handle *h, int *mode) { VALID(); *mode = h->atomics; return SUCCESS; }
API S cublasSetWorkspace_v2(Handle *h, void *at, size_t size) { VALID(); return SUCCESS; }
API const char *cublasGetStatusString(S s) {
  switch (s) {
    case SUCCESS: return "success";
    case NO_HANDLE: return "the library was not initialized";
    case ALLOC_FAILED: return "the resource allocation failed";
    case BAD_VALUE: return "an invalid value was given";
    case EXECUTION_FAILED: return "the function failed to launch on the GPU";
    case UNSUPPORTED: return "the functionality is not supported";
    default: return "unknown";
  }
}
API const char *cublasGetStatusName(S s) {
  switch (s) {
    case SUCCESS: return "CUBLAS_STATUS_SUCCESS";
    case NO_HANDLE: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case ALLOC_FAILED: return "CUBLAS_STATUS_ALLOC_FAILED";
    case BAD_VALUE: return "CUBLAS_STATUS_INVALID_VALUE";
    case EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
    case UNSUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
    default: return "CUBLAS_STATUS_UNKNOWN";
  }
}

// --- numbers -------------------------------------------------------------------------------------

static size_t size_of(int type) { return type == R64F ? 8 : type == R32F ? 4 : 2; }
static int is_known(int type) { return type == R32F || type == R64F || type == R16F || type == R16BF; }

static double of_half(uint16_t bits) {
  int sign = bits >> 15, power = bits >> 10 & 31, part = bits & 1023;
  double size = power == 31 ? (part ? NAN : INFINITY) : power ? ldexp(1024 + part, power - 25) : ldexp(part, -24);
  return sign ? -size : size;
}
static uint16_t to_half(double value) {  // to the nearest, ties to even
  uint16_t sign = signbit(value) ? 0x8000 : 0;
  double size = fabs(value);
  if (isnan(value)) return 0x7fff;
  if (size >= 65520) return sign | 0x7c00;
  int power;
  frexp(size, &power);
  if (size < ldexp(1, -14)) return sign | (uint16_t)nearbyint(ldexp(size, 24));  // 1024 is the first normal one
  uint16_t part = (uint16_t)nearbyint(ldexp(size, 11 - power));  // 1024 to 2048
  return sign | (uint16_t)(((power + 13) << 10) + part);
}
static uint16_t to_bfloat(double value) {
  float single = (float)value;
  u32 bits;
  memcpy(&bits, &single, 4);
  if (isnan(single)) return 0x7fff;
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
static double load(const char *from, size_t at, int type) {
  u32 bits;
  float single;
  if (type == R64F) return ((const double *)from)[at];
  if (type == R32F) return ((const float *)from)[at];
  if (type == R16F) return of_half(((const uint16_t *)from)[at]);
  bits = (u32)((const uint16_t *)from)[at] << 16;
  memcpy(&single, &bits, 4);
  return single;
}
static void store(char *to, size_t at, int type, double value) {
  if (type == R64F) ((double *)to)[at] = value;
  else if (type == R32F) ((float *)to)[at] = (float)value;
  else ((uint16_t *)to)[at] = type == R16F ? to_half(value) : to_bfloat(value);
}

// A scalar that is given by address, on the host or on the device.
static S scalar(const Handle *h, const void *at, int type, double *value) {
  const char *from = pd_host(at, size_of(type));
  if (!at || !from) return BAD_VALUE;
  *value = load(from, 0, type);
  return SUCCESS;
}
static S give(const Handle *h, void *at, int type, double value) {
  char *to = pd_host(at, size_of(type));
  if (!at || !to) return BAD_VALUE;
  store(to, 0, type, value);
  pd_written(to, size_of(type));
  return SUCCESS;
}
static char *array(const void *at, size_t count, int type) { return at && count ? pd_host(at, count * size_of(type)) : 0; }

// --- matrices, by columns ------------------------------------------------------------------------


// A rows-by-columns matrix behind its operation, in double, column by column.
static double *unpacked(const void *at, int turned, int rows, int columns, int apart, int type) {
  size_t reach = (size_t)apart * ((turned ? rows : columns) - 1) + (turned ? columns : rows);
  const char *from = array(at, reach, type);
  double *out = from ? malloc((size_t)rows * columns * sizeof *out) : 0;
  if (!out) return 0;
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++)
      out[(size_t)j * rows + i] = load(from, turned ? (size_t)i * apart + j : (size_t)j * apart + i, type);
  return out;
}

static S product(int ta, int tb, int m, int n, int k, double alpha, const void *a, int a_type, int lda,
                 const void *b, int b_type, int ldb, double beta, void *c, int c_type, int ldc) {
  if (m < 0 || n < 0 || k < 0 || ta < 0 || ta > 2 || tb < 0 || tb > 2) return BAD_VALUE;
  if (lda < (ta ? k : m) || ldb < (tb ? n : k) || ldc < m || lda < 1 || ldb < 1 || ldc < 1) return BAD_VALUE;
  if (!m || !n) return SUCCESS;
  char *to = array(c, (size_t)ldc * (n - 1) + m, c_type);
  double *left = k ? unpacked(a, ta, m, k, lda, a_type) : 0, *right = k ? unpacked(b, tb, k, n, ldb, b_type) : 0;
  double *sum = malloc(m * sizeof *sum);
  S status = to && sum && (!k || (left && right)) ? SUCCESS : EXECUTION_FAILED;
  for (int j = 0; j < n && !status; j++) {
    memset(sum, 0, m * sizeof *sum);
    for (int l = 0; l < k; l++) {
      double by = right[(size_t)j * k + l];
      const double *column = left + (size_t)l * m;
      for (int i = 0; i < m; i++) sum[i] += column[i] * by;
    }
    size_t at = (size_t)j * ldc;
    for (int i = 0; i < m; i++)
      store(to, at + i, c_type, alpha * sum[i] + (beta ? beta * load(to, at + i, c_type) : 0));
    pd_written(to + at * size_of(c_type), m * size_of(c_type));
  }
  free(left), free(right), free(sum);
  return status;
}

static int scalar_type(int compute) {  // cublasComputeType_t, or before CUDA 11 cudaDataType
  if (compute == 64 || compute == 65 || compute == R16F) return R16F;
  if (compute == 70 || compute == 71 || compute == R64F) return R64F;
  return compute == R32F || (compute >= 68 && compute <= 79) ? R32F : -1;
}

static S gemm(Handle *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int at, int lda,
              long long sa, const void *b, int bt, int ldb, long long sb, const void *beta, void *c, int ct, int ldc,
              long long sc, int count, int st) {
  double by, plus;
  if (st < 0 || !is_known(at) || !is_known(bt) || !is_known(ct)) return UNSUPPORTED;
  S status = scalar(h, alpha, st, &by);
  if (!status) status = scalar(h, beta, st, &plus);
  for (int i = 0; i < count && !status; i++)
    status = product(ta, tb, m, n, k, by, (const char *)a + i * sa * (long long)size_of(at), at, lda,
                     (const char *)b + i * sb * (long long)size_of(bt), bt, ldb, plus,
                     (char *)c + i * sc * (long long)size_of(ct), ct, ldc);
  return status;
}

#define GEMM(letter, T, type) \
  API S cublas##letter##gemm_v2(Handle *h, int ta, int tb, int m, int n, int k, const T *alpha, const T *a, int lda, \
      const T *b, int ldb, const T *beta, T *c, int ldc) { \
    BEGIN("cublas" #letter "gemm"); \
    return gemm(h, ta, tb, m, n, k, alpha, a, type, lda, 0, b, type, ldb, 0, beta, c, type, ldc, 0, 1, type); \
  } \
  API S cublas##letter##gemmStridedBatched(Handle *h, int ta, int tb, int m, int n, int k, const T *alpha, const T *a, \
      int lda, long long sa, const T *b, int ldb, long long sb, const T *beta, T *c, int ldc, long long sc, int count) { \
    BEGIN("cublas" #letter "gemmStridedBatched"); \
    return gemm(h, ta, tb, m, n, k, alpha, a, type, lda, sa, b, type, ldb, sb, beta, c, type, ldc, sc, count, type); \
  } \
  API S cublas##letter##gemmBatched(Handle *h, int ta, int tb, int m, int n, int k, const T *alpha, \
      const T *const a[], int lda, const T *const b[], int ldb, const T *beta, T *const c[], int ldc, int count) { \
    BEGIN("cublas" #letter "gemmBatched"); \
    const size_t bytes = (size_t)count * sizeof *a; \
    const T *const *as = (const T *const *)pd_host(a, bytes), *const *bs = (const T *const *)pd_host(b, bytes); \
    T *const *cs = (T *const *)pd_host(c, bytes); \
    S status = !count || (as && bs && cs) ? SUCCESS : BAD_VALUE; \
    for (int i = 0; i < count && !status; i++) \
      status = gemm(h, ta, tb, m, n, k, alpha, as[i], type, lda, 0, bs[i], type, ldb, 0, beta, cs[i], type, ldc, 0, 1, type); \
    return status; \
  }
GEMM(S, float, R32F)
GEMM(D, double, R64F)
GEMM(H, uint16_t, R16F)

API S cublasGemmEx(Handle *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int at, int lda,
    const void *b, int bt, int ldb, const void *beta, void *c, int ct, int ldc, int compute, int algorithm) {
  BEGIN("cublasGemmEx");
  return gemm(h, ta, tb, m, n, k, alpha, a, at, lda, 0, b, bt, ldb, 0, beta, c, ct, ldc, 0, 1, scalar_type(compute));
}
API S cublasGemmStridedBatchedEx(Handle *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int at,
    int lda, long long sa, const void *b, int bt, int ldb, long long sb, const void *beta, void *c, int ct, int ldc,
    long long sc, int count, int compute, int algorithm) {
  BEGIN("cublasGemmStridedBatchedEx");
  return gemm(h, ta, tb, m, n, k, alpha, a, at, lda, sa, b, bt, ldb, sb, beta, c, ct, ldc, sc, count, scalar_type(compute));
}
// A sum of two matrices, each as it is or turned; one whose factor is 0 is not read.
static S sum(int ta, int tb, int m, int n, double by, const void *a, int lda, double plus, const void *b, int ldb, void *c,
             int ldc, int type) {
  if (m < 0 || n < 0 || ta < 0 || ta > 2 || tb < 0 || tb > 2 || ldc < m || ldc < 1) return BAD_VALUE;
  if ((by && lda < (ta ? n : m)) || (plus && ldb < (tb ? n : m))) return BAD_VALUE;
  if (!m || !n) return SUCCESS;
  char *to = array(c, (size_t)ldc * (n - 1) + m, type);
  double *left = by ? unpacked(a, ta, m, n, lda, type) : 0, *right = plus ? unpacked(b, tb, m, n, ldb, type) : 0;
  S status = to && (!by || left) && (!plus || right) ? SUCCESS : EXECUTION_FAILED;
  for (int j = 0; j < n && !status; j++) {
    size_t from = (size_t)j * m, at = (size_t)j * ldc;
    for (int i = 0; i < m; i++)
      store(to, at + i, type, (by ? by * left[from + i] : 0) + (plus ? plus * right[from + i] : 0));
    pd_written(to + at * size_of(type), m * size_of(type));
  }
  free(left), free(right);
  return status;
}
#define GEAM(letter, T, type) \
  API S cublas##letter##geam(Handle *h, int ta, int tb, int m, int n, const T *alpha, const T *a, int lda, const T *beta, \
      const T *b, int ldb, T *c, int ldc) { \
    BEGIN("cublas" #letter "geam"); \
    double by, plus; \
    S status = scalar(h, alpha, type, &by); \
    if (!status) status = scalar(h, beta, type, &plus); \
    return status ? status : sum(ta, tb, m, n, by, a, lda, plus, b, ldb, c, ldc, type); \
  }
GEAM(S, float, R32F)
GEAM(D, double, R64F)

API S cublasSgemmEx(Handle *h, int ta, int tb, int m, int n, int k, const float *alpha, const void *a, int at, int lda,
    const void *b, int bt, int ldb, const float *beta, void *c, int ct, int ldc) {
  BEGIN("cublasSgemmEx");
  return gemm(h, ta, tb, m, n, k, alpha, a, at, lda, 0, b, bt, ldb, 0, beta, c, ct, ldc, 0, 1, R32F);
}

// --- vectors -------------------------------------------------------------------------------------

typedef struct { char *at; int type; long long first, step; } Vector;

static S vector(const void *at, int n, int step, int type, Vector *out) {
  size_t reach = n > 0 ? (size_t)(n - 1) * abs(step) + 1 : 0;
  *out = (Vector){array(at, reach, type), type, step < 0 ? (long long)(n - 1) * -step : 0, step};
  return n <= 0 || out->at ? SUCCESS : BAD_VALUE;
}
static double get(const Vector *v, int i) { return load(v->at, v->first + i * v->step, v->type); }
static void put(const Vector *v, int i, double value) {
  size_t at = v->first + i * v->step;
  store(v->at, at, v->type, value);
  pd_written(v->at + at * size_of(v->type), size_of(v->type));
}
#define VECTOR(name, at, step, type) Vector name; do { S s_ = vector(at, n, step, type, &name); if (s_) return s_; } while (0)

#define LEVEL_1(letter, small, T, type) \
  API S cublas##letter##axpy_v2(Handle *h, int n, const T *alpha, const T *x, int sx, T *y, int sy) { \
    BEGIN("cublas" #letter "axpy"); \
    double by; \
    S status = scalar(h, alpha, type, &by); \
    if (status) return status; \
    VECTOR(a, x, sx, type); VECTOR(b, y, sy, type); \
    for (int i = 0; i < n; i++) put(&b, i, by * get(&a, i) + get(&b, i)); \
    return SUCCESS; \
  } \
  API S cublas##letter##scal_v2(Handle *h, int n, const T *alpha, T *x, int sx) { \
    BEGIN("cublas" #letter "scal"); \
    double by; \
    S status = scalar(h, alpha, type, &by); \
    if (status) return status; \
    VECTOR(a, x, sx, type); \
    for (int i = 0; i < n; i++) put(&a, i, by * get(&a, i)); \
    return SUCCESS; \
  } \
  API S cublas##letter##copy_v2(Handle *h, int n, const T *x, int sx, T *y, int sy) { \
    BEGIN("cublas" #letter "copy"); \
    VECTOR(a, x, sx, type); VECTOR(b, y, sy, type); \
    for (int i = 0; i < n; i++) put(&b, i, get(&a, i)); \
    return SUCCESS; \
  } \
  API S cublas##letter##swap_v2(Handle *h, int n, T *x, int sx, T *y, int sy) { \
    BEGIN("cublas" #letter "swap"); \
    VECTOR(a, x, sx, type); VECTOR(b, y, sy, type); \
    for (int i = 0; i < n; i++) { double kept = get(&a, i); put(&a, i, get(&b, i)); put(&b, i, kept); } \
    return SUCCESS; \
  } \
  API S cublas##letter##dot_v2(Handle *h, int n, const T *x, int sx, const T *y, int sy, T *out) { \
    BEGIN("cublas" #letter "dot"); \
    VECTOR(a, x, sx, type); VECTOR(b, y, sy, type); \
    double sum = 0; \
    for (int i = 0; i < n; i++) sum += get(&a, i) * get(&b, i); \
    return give(h, out, type, sum); \
  } \
  API S cublas##letter##nrm2_v2(Handle *h, int n, const T *x, int sx, T *out) { \
    BEGIN("cublas" #letter "nrm2"); \
    VECTOR(a, x, sx, type); \
    double norm = 0; \
    for (int i = 0; i < n; i++) norm = hypot(norm, get(&a, i)); \
    return give(h, out, type, norm); \
  } \
  API S cublas##letter##asum_v2(Handle *h, int n, const T *x, int sx, T *out) { \
    BEGIN("cublas" #letter "asum"); \
    VECTOR(a, x, sx, type); \
    double sum = 0; \
    for (int i = 0; i < n; i++) sum += fabs(get(&a, i)); \
    return give(h, out, type, sum); \
  } \
  API S cublasI##small##amax_v2(Handle *h, int n, const T *x, int sx, int *out) { \
    BEGIN("cublasI" #small "amax"); \
    VECTOR(a, x, sx, type); \
    int best = 0; \
    for (int i = 1; i < n; i++) if (fabs(get(&a, i)) > fabs(get(&a, best))) best = i; \
    int *to = (int *)pd_host(out, sizeof *out); \
    if (!to) return BAD_VALUE; \
    *to = n > 0 ? best + 1 : 0, pd_written(to, sizeof *to);  /* counted from 1 */ \
    return SUCCESS; \
  } \
  API S cublas##letter##gemv_v2(Handle *h, int turned, int m, int k, const T *alpha, const T *a, int lda, const T *x, \
      int sx, const T *beta, T *y, int sy) { \
    BEGIN("cublas" #letter "gemv"); \
    double by, plus; \
    S status = scalar(h, alpha, type, &by); \
    if (!status) status = scalar(h, beta, type, &plus); \
    if (status) return status; \
    if (m < 0 || k < 0 || lda < m || lda < 1 || !sx || !sy) return BAD_VALUE; \
    if (!m || !k) return SUCCESS; \
    int rows = turned ? k : m, columns = turned ? m : k, n = columns; \
    VECTOR(from, x, sx, type); \
    n = rows; \
    VECTOR(to, y, sy, type); \
    double *whole = unpacked(a, turned, rows, columns, lda, type); \
    if (!whole) return BAD_VALUE; \
    for (int i = 0; i < rows; i++) { \
      double sum = 0; \
      for (int j = 0; j < columns; j++) sum += whole[(size_t)j * rows + i] * get(&from, j); \
      put(&to, i, by * sum + (plus ? plus * get(&to, i) : 0)); \
    } \
    free(whole); \
    return SUCCESS; \
  }
LEVEL_1(S, s, float, R32F)
LEVEL_1(D, d, double, R64F)

// --- copies --------------------------------------------------------------------------------------

static S moved(int rows, int columns, int size, const void *from, int from_apart, void *to, int to_apart) {
  if (rows < 0 || columns < 0 || size <= 0 || from_apart <= 0 || to_apart <= 0) return BAD_VALUE;
  Copy copy = {to, from, (size_t)to_apart * size, 0, (size_t)from_apart * size, 0, (size_t)rows * size, columns, 1, 4};
  return pd_copy(&copy) ? BAD_VALUE : SUCCESS;
}
API S cublasSetMatrix(int r, int c, int size, const void *a, int lda, void *b, int ldb) { return moved(r, c, size, a, lda, b, ldb); }
API S cublasGetMatrix(int r, int c, int size, const void *a, int lda, void *b, int ldb) { return moved(r, c, size, a, lda, b, ldb); }
API S cublasSetMatrixAsync(int r, int c, int size, const void *a, int lda, void *b, int ldb, void *s) { return moved(r, c, size, a, lda, b, ldb); }
API S cublasGetMatrixAsync(int r, int c, int size, const void *a, int lda, void *b, int ldb, void *s) { return moved(r, c, size, a, lda, b, ldb); }
API S cublasSetVector(int n, int size, const void *x, int sx, void *y, int sy) { return moved(1, n, size, x, sx, y, sy); }
API S cublasGetVector(int n, int size, const void *x, int sx, void *y, int sy) { return moved(1, n, size, x, sx, y, sy); }
API S cublasSetVectorAsync(int n, int size, const void *x, int sx, void *y, int sy, void *s) { return moved(1, n, size, x, sx, y, sy); }
API S cublasGetVectorAsync(int n, int size, const void *x, int sx, void *y, int sy, void *s) { return moved(1, n, size, x, sx, y, sy); }
