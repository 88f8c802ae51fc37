// libcublas on the CPU: products of complex matrices and vectors. Sums are made in double.
#include "cublas.h"
#include <complex.h>
#include <stdlib.h>

typedef double complex Z;
typedef float complex C;
enum { PLAIN = 0, TURNED = 1, CONJUGATED = 2 };  // cublasOperation_t

static Z load(const char *from, size_t at, size_t size) { return size == sizeof(C) ? ((const C *)from)[at] : ((const Z *)from)[at]; }
static void store(char *to, size_t at, size_t size, Z value) {
  if (size == sizeof(C)) ((C *)to)[at] = value;
  else ((Z *)to)[at] = value;
}
static S scalar(const void *at, size_t size, Z *value) {  // on the host or on the device
  const char *from = at ? pd_host(at, size) : 0;
  if (!from) return BAD_VALUE;
  *value = load(from, 0, size);
  return SUCCESS;
}

// A rows-by-columns matrix behind its operation, column by column; 0 where it cannot be read.
static Z *unpacked(const void *at, int operation, int rows, int columns, int apart, size_t size) {
  size_t reach = (size_t)apart * ((operation ? rows : columns) - 1) + (operation ? columns : rows);
  const char *from = at ? pd_host(at, reach * size) : 0;
  Z *out = from ? malloc((size_t)rows * columns * sizeof *out) : 0;
  if (!out) return 0;
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++) {
      Z value = load(from, operation ? (size_t)i * apart + j : (size_t)j * apart + i, size);
      out[(size_t)j * rows + i] = operation == CONJUGATED ? conj(value) : value;
    }
  return out;
}

static S product(int ta, int tb, int m, int n, int k, Z by, const void *a, int lda, const void *b, int ldb, Z plus,
                 void *c, int ldc, size_t size) {
  if (m < 0 || n < 0 || k < 0 || ta < 0 || ta > CONJUGATED || tb < 0 || tb > CONJUGATED) return BAD_VALUE;
  if (lda < (ta ? k : m) || ldb < (tb ? n : k) || ldc < m || lda < 1 || ldb < 1 || ldc < 1) return BAD_VALUE;
  if (!m || !n) return SUCCESS;
  char *to = c ? pd_host(c, ((size_t)ldc * (n - 1) + m) * size) : 0;
  Z *left = k ? unpacked(a, ta, m, k, lda, size) : 0, *right = k ? unpacked(b, tb, k, n, ldb, size) : 0;
  S status = to && (!k || (left && right)) ? SUCCESS : EXECUTION_FAILED;
  for (int j = 0; j < n && !status; j++) {
    size_t at = (size_t)j * ldc;
    for (int i = 0; i < m; i++) {
      Z sum = 0;
      for (int l = 0; l < k; l++) sum += left[(size_t)l * m + i] * right[(size_t)j * k + l];
      store(to, at + i, size, by * sum + (plus != 0 ? plus * load(to, at + i, size) : 0));
    }
    pd_written(to + at * size, m * size);
  }
  free(left), free(right);
  return status;
}

static S vector_product(int operation, int m, int k, const void *alpha, const void *a, int lda, const void *x, int sx,
                        const void *beta, void *y, int sy, size_t size) {
  Z by, plus;
  S status = scalar(alpha, size, &by);
  if (!status) status = scalar(beta, size, &plus);
  if (status) return status;
  if (m < 0 || k < 0 || lda < m || lda < 1 || !sx || !sy || operation < 0 || operation > CONJUGATED) return BAD_VALUE;
  if (!m || !k) return SUCCESS;
  int rows = operation ? k : m, columns = operation ? m : k;
  const char *from = x ? pd_host(x, ((size_t)(columns - 1) * abs(sx) + 1) * size) : 0;
  char *to = y ? pd_host(y, ((size_t)(rows - 1) * abs(sy) + 1) * size) : 0;
  Z *whole = from && to ? unpacked(a, operation, rows, columns, lda, size) : 0;
  if (!whole) return BAD_VALUE;
  size_t first_x = sx < 0 ? (size_t)(columns - 1) * -sx : 0, first_y = sy < 0 ? (size_t)(rows - 1) * -sy : 0;
  for (int i = 0; i < rows; i++) {
    Z sum = 0;
    for (int j = 0; j < columns; j++) sum += whole[(size_t)j * rows + i] * load(from, first_x + (long long)j * sx, size);
    size_t at = first_y + (long long)i * sy;
    store(to, at, size, by * sum + (plus != 0 ? plus * load(to, at, size) : 0));
    pd_written(to + at * size, size);
  }
  free(whole);
  return SUCCESS;
}

static S strided(int ta, int tb, int m, int n, int k, const void *alpha, const char *a, int lda, long long sa, const char *b,
                 int ldb, long long sb, const void *beta, char *c, int ldc, long long sc, int count, long long size) {
  Z by, plus;
  S status = scalar(alpha, size, &by);
  if (!status) status = scalar(beta, size, &plus);
  for (int i = 0; i < count && !status; i++)
    status = product(ta, tb, m, n, k, by, a + i * sa * size, lda, b + i * sb * size, ldb, plus, c + i * sc * size, ldc, size);
  return status;
}

static S batched(int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int lda, const void *b, int ldb,
                 const void *beta, const void *c, int ldc, int count, size_t size) {
  size_t bytes = (size_t)count * sizeof a;
  const void *const *as = (const void *const *)pd_host(a, bytes), *const *bs = (const void *const *)pd_host(b, bytes);
  void *const *cs = (void *const *)pd_host(c, bytes);
  Z by, plus;
  S status = !count || (as && bs && cs) ? SUCCESS : BAD_VALUE;
  if (!status) status = scalar(alpha, size, &by);
  if (!status) status = scalar(beta, size, &plus);
  for (int i = 0; i < count && !status; i++)
    status = product(ta, tb, m, n, k, by, as[i], lda, bs[i], ldb, plus, cs[i], ldc, size);
  return status;
}

#define COMPLEX(letter, T) \
  API S cublas##letter##gemm_v2(Handle *h, int ta, int tb, int m, int n, int k, const T *alpha, const T *a, int lda, \
      const T *b, int ldb, const T *beta, T *c, int ldc) { \
    BEGIN("cublas" #letter "gemm"); \
    return strided(ta, tb, m, n, k, alpha, (const char *)a, lda, 0, (const char *)b, ldb, 0, beta, (char *)c, ldc, 0, 1, sizeof(T)); \
  } \
  API S cublas##letter##gemmStridedBatched(Handle *h, int ta, int tb, int m, int n, int k, const T *alpha, const T *a, \
      int lda, long long sa, const T *b, int ldb, long long sb, const T *beta, T *c, int ldc, long long sc, int count) { \
    BEGIN("cublas" #letter "gemmStridedBatched"); \
    return strided(ta, tb, m, n, k, alpha, (const char *)a, lda, sa, (const char *)b, ldb, sb, beta, (char *)c, ldc, sc, count, sizeof(T)); \
  } \
  API S cublas##letter##gemmBatched(Handle *h, int ta, int tb, int m, int n, int k, const T *alpha, \
      const T *const a[], int lda, const T *const b[], int ldb, const T *beta, T *const c[], int ldc, int count) { \
    BEGIN("cublas" #letter "gemmBatched"); \
    return batched(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count, sizeof(T)); \
  } \
  API S cublas##letter##gemv_v2(Handle *h, int operation, int m, int k, const T *alpha, const T *a, int lda, const T *x, \
      int sx, const T *beta, T *y, int sy) { \
    BEGIN("cublas" #letter "gemv"); \
    return vector_product(operation, m, k, alpha, a, lda, x, sx, beta, y, sy, sizeof(T)); \
  }
COMPLEX(C, C)
COMPLEX(Z, Z)
