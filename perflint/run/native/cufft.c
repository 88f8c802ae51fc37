// libcufft on the CPU: transforms of one to three dimensions around a program's own kernels. They
// are made in double; nothing is said of what they would cost on a GPU. All other functions return
// CUFFT_NOT_SUPPORTED, and are named once.
#include "device.h"
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
typedef int R;  // cufftResult
enum { SUCCESS = 0, INVALID_PLAN = 1, ALLOC_FAILED = 2, INVALID_TYPE = 3, BAD_VALUE = 4, EXEC_FAILED = 6,
       SETUP_FAILED = 7, INVALID_SIZE = 8, UNSUPPORTED = 16 };
enum { R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69 };  // cufftType
enum { FORWARD = -1, INVERSE = 1, RANKS = 3 };
typedef long long i64;
typedef double complex Z;

static int is_double(int type) { return type >> 6 & 1; }
static int from_real(int type) { return (type & 0x3f) == (R2C & 0x3f); }
static int to_real(int type) { return (type & 0x3f) == (C2R & 0x3f); }

// --- lines ---------------------------------------------------------------------------------------

static Z times(Z a, Z b) {  // without C's care for infinities
  return CMPLX(creal(a) * creal(b) - cimag(a) * cimag(b), creal(a) * cimag(b) + cimag(a) * creal(b));
}
static Z turn(double part) { return CMPLX(cos(2 * M_PI * part), sin(2 * M_PI * part)); }

// How lines of n values are transformed: by powers of two, else as a convolution of m (Bluestein).
typedef struct { i64 n, m; Z *turns, *chirp, *spectrum, *work; } Line;

// x[0..m), m a power of two; `turns` has e^(2 pi i sign k / m).
static void by_halves(Z *x, i64 m, const Z *turns) {
  for (i64 i = 1, j = 0; i < m; i++) {
    i64 bit = m >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j |= bit;
    if (i < j) { Z kept = x[i]; x[i] = x[j], x[j] = kept; }
  }
  for (i64 half = 1; half < m; half *= 2)
    for (i64 at = 0; at < m; at += 2 * half)
      for (i64 k = 0; k < half; k++) {
        Z odd = times(x[at + half + k], turns[k * (m / (2 * half))]);
        x[at + half + k] = x[at + k] - odd, x[at + k] += odd;
      }
}
static void line_drop(Line *line) { free(line->turns), free(line->chirp), free(line->spectrum), free(line->work); }
static int line_new(Line *out, i64 n, int sign) {  // 0: no memory
  i64 m = 1;
  while (m < n) m *= 2;
  if (m != n) while (m < 2 * n - 1) m *= 2;
  *out = (Line){n, m, malloc(m * sizeof(Z)), calloc(n, sizeof(Z)), calloc(m, sizeof(Z)), calloc(m, sizeof(Z))};
  if (!out->turns || !out->chirp || !out->spectrum || !out->work) return line_drop(out), 0;
  for (i64 k = 0; k < m; k++) out->turns[k] = turn(sign * (double)k / m);
  if (m == n) return 1;
  for (i64 k = 0; k < n; k++) {
    i64 square = (i64)((unsigned __int128)k * k % (2 * (u64)n));
    out->chirp[k] = turn(sign * (double)square / (2 * n));
    out->spectrum[k] = conj(out->chirp[k]);
    if (k) out->spectrum[m - k] = out->spectrum[k];
  }
  by_halves(out->spectrum, m, out->turns);
  return 1;
}
static void line_run(const Line *line, Z *x) {
  i64 n = line->n, m = line->m;
  if (m == n) { by_halves(x, n, line->turns); return; }
  memset(line->work, 0, m * sizeof(Z));
  for (i64 k = 0; k < n; k++) line->work[k] = times(x[k], line->chirp[k]);
  by_halves(line->work, m, line->turns);
  // Back by the same turns: the transform of the transform is the line read backwards, times m.
  for (i64 k = 0; k < m; k++) line->work[k] = times(line->work[k], line->spectrum[k]);
  by_halves(line->work, m, line->turns);
  for (i64 k = 0; k < n; k++) x[k] = times(line->work[k ? m - k : 0] / m, line->chirp[k]);
}

// Every line of `whole` along one axis; of the last axis only the first `columns` are crossed.
static int along(Z *whole, const i64 n[RANKS], int axis, i64 columns, int sign) {
  Line line;
  i64 apart = axis == 2 ? 1 : axis == 1 ? n[2] : n[1] * n[2], lines = n[0] * n[1] * n[2] / n[axis];
  Z *x = malloc(n[axis] * sizeof *x);
  if (n[axis] == 1) return free(x), 1;
  if (!x || !line_new(&line, n[axis], sign)) return free(x), 0;
  for (i64 l = 0; l < lines; l++) {
    Z *from = whole + l / apart * apart * n[axis] + l % apart;
    if (axis < 2 && l % n[2] >= columns) continue;
    for (i64 k = 0; k < n[axis]; k++) x[k] = from[k * apart];
    line_run(&line, x);
    for (i64 k = 0; k < n[axis]; k++) from[k * apart] = x[k];
  }
  return line_drop(&line), free(x), 1;
}

// --- plans ---------------------------------------------------------------------------------------

// Where the values of one side are, in elements of its type. Its rows are `embed` apart.
typedef struct { int given; i64 embed[RANKS], stride, dist; } Layout;
typedef struct { int state, type; i64 n[RANKS], batch; Layout in, out; } Plan;
enum { CREATED = 1, MADE = 2, MOST = 1 << 14 };
static Plan *plans[MOST];

static Plan *plan_of(int handle) { return handle > 0 && handle < MOST ? plans[handle] : 0; }

API R cufftCreate(int *handle) {
  if (!handle) return BAD_VALUE;
  if (pd_start()) return SETUP_FAILED;
  for (int i = 1; i < MOST; i++)
    if (!plans[i]) {
      plans[i] = calloc(1, sizeof **plans);
      if (!plans[i]) return ALLOC_FAILED;
      plans[i]->state = CREATED, *handle = i;
      return SUCCESS;
    }
  return ALLOC_FAILED;
}
API R cufftDestroy(int handle) {
  if (!plan_of(handle)) return INVALID_PLAN;
  free(plans[handle]), plans[handle] = 0;
  return SUCCESS;
}

static R shape(Plan *plan, int rank, const i64 *n, const i64 *inembed, i64 istride, i64 idist, const i64 *onembed,
               i64 ostride, i64 odist, int type, i64 batch) {
  if (rank < 1 || rank > RANKS || !n) return BAD_VALUE;
  if (type != R2C && type != C2R && type != C2C && type != D2Z && type != Z2D && type != Z2Z) return INVALID_TYPE;
  Plan made = {MADE, type, {1, 1, 1}, batch, {inembed != 0, {1, 1, 1}, istride, idist}, {onembed != 0, {1, 1, 1}, ostride, odist}};
  i64 all = 1;
  for (int i = 0; i < rank; i++) {
    int axis = RANKS - rank + i;
    if (n[i] < 1 || n[i] > 1 << 27 || (all *= n[i]) > 1 << 30) return INVALID_SIZE;
    made.n[axis] = n[i];
    if (inembed) made.in.embed[axis] = inembed[i];
    if (onembed) made.out.embed[axis] = onembed[i];
  }
  if (batch < 1) return INVALID_SIZE;
  *plan = made;
  return SUCCESS;
}
// What NVIDIA's would need is not known: one transform's worth of complex numbers is given.
static void size(const Plan *plan, size_t *out) {
  if (out) *out = (size_t)(plan->n[0] * plan->n[1] * plan->n[2]) * (is_double(plan->type) ? 16 : 8);
}
static R many64(Plan *plan, int rank, const i64 *n, const i64 *inembed, i64 istride, i64 idist, const i64 *onembed,
                i64 ostride, i64 odist, int type, i64 batch, size_t *work) {
  R status = shape(plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch);
  if (!status) size(plan, work);
  return status;
}
static R many(Plan *plan, int rank, const int *n, const int *inembed, int istride, int idist, const int *onembed, int ostride,
              int odist, int type, int batch, size_t *work) {
  i64 wide[3][RANKS];
  if (rank < 1 || rank > RANKS || !n) return BAD_VALUE;
  for (int i = 0; i < rank; i++) wide[0][i] = n[i], wide[1][i] = inembed ? inembed[i] : 0, wide[2][i] = onembed ? onembed[i] : 0;
  return many64(plan, rank, wide[0], inembed ? wide[1] : 0, istride, idist, onembed ? wide[2] : 0, ostride, odist, type, batch, work);
}
static R basic(Plan *plan, int rank, int nx, int ny, int nz, int type, int batch, size_t *work) {
  return many(plan, rank, (int[]){nx, ny, nz}, 0, 1, 0, 0, 1, 0, type, batch, work);
}

// A plan that was created is made once; a size is asked of a plan that nobody keeps.
#define MAKE(handle, made) do { \
    Plan *plan = plan_of(handle); \
    if (!plan || plan->state != CREATED) return INVALID_PLAN; \
    return made; \
  } while (0)
#define ASK(made) do { Plan asked, *plan = &asked; return made; } while (0)
#define PLAN(made) do { \
    R status = cufftCreate(handle); \
    Plan *plan = status ? 0 : plan_of(*handle); \
    if (!status && (status = made)) cufftDestroy(*handle); \
    return status; \
  } while (0)

API R cufftMakePlan1d(int h, int nx, int type, int batch, size_t *work) { MAKE(h, basic(plan, 1, nx, 1, 1, type, batch, work)); }
API R cufftMakePlan2d(int h, int nx, int ny, int type, size_t *work) { MAKE(h, basic(plan, 2, nx, ny, 1, type, 1, work)); }
API R cufftMakePlan3d(int h, int nx, int ny, int nz, int type, size_t *work) { MAKE(h, basic(plan, 3, nx, ny, nz, type, 1, work)); }
API R cufftPlan1d(int *handle, int nx, int type, int batch) { PLAN(basic(plan, 1, nx, 1, 1, type, batch, 0)); }
API R cufftPlan2d(int *handle, int nx, int ny, int type) { PLAN(basic(plan, 2, nx, ny, 1, type, 1, 0)); }
API R cufftPlan3d(int *handle, int nx, int ny, int nz, int type) { PLAN(basic(plan, 3, nx, ny, nz, type, 1, 0)); }
API R cufftGetSize1d(int h, int nx, int type, int batch, size_t *work) { ASK(basic(plan, 1, nx, 1, 1, type, batch, work)); }
API R cufftGetSize2d(int h, int nx, int ny, int type, size_t *work) { ASK(basic(plan, 2, nx, ny, 1, type, 1, work)); }
API R cufftGetSize3d(int h, int nx, int ny, int nz, int type, size_t *work) { ASK(basic(plan, 3, nx, ny, nz, type, 1, work)); }
API R cufftEstimate1d(int nx, int type, int batch, size_t *work) { ASK(basic(plan, 1, nx, 1, 1, type, batch, work)); }
API R cufftEstimate2d(int nx, int ny, int type, size_t *work) { ASK(basic(plan, 2, nx, ny, 1, type, 1, work)); }
API R cufftEstimate3d(int nx, int ny, int nz, int type, size_t *work) { ASK(basic(plan, 3, nx, ny, nz, type, 1, work)); }

#define MANY(I) int rank, I *n, I *inembed, I istride, I idist, I *onembed, I ostride, I odist, int type, I batch
#define GIVEN rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch
API R cufftPlanMany(int *handle, MANY(int)) { PLAN(many(plan, GIVEN, 0)); }
API R cufftMakePlanMany(int h, MANY(int), size_t *work) { MAKE(h, many(plan, GIVEN, work)); }
API R cufftMakePlanMany64(int h, MANY(i64), size_t *work) { MAKE(h, many64(plan, GIVEN, work)); }
API R cufftGetSizeMany(int h, MANY(int), size_t *work) { ASK(many(plan, GIVEN, work)); }
API R cufftGetSizeMany64(int h, MANY(i64), size_t *work) { ASK(many64(plan, GIVEN, work)); }
API R cufftEstimateMany(MANY(int), size_t *work) { ASK(many(plan, GIVEN, work)); }

static int type_of(int from, int to, int by) {  // of cudaDataType: R32F, R64F, C32F, C64F; 0 is none
  if (from == 4 && to == 4 && by == 4) return C2C;
  if (from == 5 && to == 5 && by == 5) return Z2Z;
  if (from == 0 && to == 4 && by == 4) return R2C;
  if (from == 4 && to == 0 && by == 4) return C2R;
  if (from == 1 && to == 5 && by == 5) return D2Z;
  return from == 5 && to == 1 && by == 5 ? Z2D : 0;
}
API R cufftXtMakePlanMany(int h, int rank, i64 *n, i64 *inembed, i64 istride, i64 idist, int from, i64 *onembed, i64 ostride,
                          i64 odist, int to, i64 batch, size_t *work, int by) {
  int type = type_of(from, to, by);
  if (!type) return pd_missing("cufftXtMakePlanMany", "the CPU answers float and double only"), UNSUPPORTED;
  MAKE(h, many64(plan, GIVEN, work));
}

API R cufftGetSize(int h, size_t *work) {
  Plan *plan = plan_of(h);
  if (!plan || plan->state != MADE || !work) return plan ? BAD_VALUE : INVALID_PLAN;
  return size(plan, work), SUCCESS;
}
API R cufftSetStream(int h, void *stream) { return plan_of(h) ? SUCCESS : INVALID_PLAN; }
API R cufftSetWorkArea(int h, void *at) { return plan_of(h) ? SUCCESS : INVALID_PLAN; }
API R cufftSetAutoAllocation(int h, int on) { return plan_of(h) ? SUCCESS : INVALID_PLAN; }
API R cufftGetVersion(int *v) { return v ? (*v = NUMBER * 1000, SUCCESS) : BAD_VALUE; }
API R cufftGetProperty(int which, int *v) { return v ? (*v = which == 0 ? NUMBER : 0, SUCCESS) : BAD_VALUE; }

// --- transforms ----------------------------------------------------------------------------------

// One side of a transform: where it is in host memory, and where each row begins (cuFFT, "Data Layout").
typedef struct { char *at; int real, wide; i64 columns, embed[RANKS], stride, dist; size_t reach; } Side;

static int side(const Plan *plan, int input, void *address, int in_place, Side *out) {
  const Layout *layout = input ? &plan->in : &plan->out;
  const i64 *n = plan->n;
  int real = input ? from_real(plan->type) : to_real(plan->type);
  int halved = input ? to_real(plan->type) : from_real(plan->type);
  *out = (Side){0, real, is_double(plan->type), halved ? n[2] / 2 + 1 : n[2]};
  if (plan->in.given && plan->out.given) {  // else all of the layout is the usual one
    memcpy(out->embed, layout->embed, sizeof out->embed);
    out->stride = layout->stride, out->dist = layout->dist;
  } else {
    i64 row = real && in_place ? 2 * (n[2] / 2 + 1) : out->columns;
    memcpy(out->embed, (i64[]){n[0], n[1], row}, sizeof out->embed);
    out->stride = 1, out->dist = n[0] * n[1] * row;
  }
  if (out->stride < 1 || out->embed[1] < 1 || out->embed[2] < 1 || (plan->batch > 1 && out->dist < 0)) return 0;
  i64 last = ((n[0] - 1) * out->embed[1] + n[1] - 1) * out->embed[2] + out->columns - 1;
  out->reach = (size_t)(last * out->stride + (plan->batch - 1) * out->dist + 1) * (real ? 1 : 2) * (out->wide ? 8 : 4);
  out->at = address ? pd_host(address, out->reach) : 0;
  return out->at != 0;
}
static i64 row_of(const Side *s, i64 b, i64 x, i64 y) { return b * s->dist + (x * s->embed[1] + y) * s->embed[2] * s->stride; }
static Z value(const Side *s, i64 i) {
  if (s->wide) return s->real ? ((double *)s->at)[i] : CMPLX(((double *)s->at)[2 * i], ((double *)s->at)[2 * i + 1]);
  return s->real ? ((float *)s->at)[i] : CMPLX(((float *)s->at)[2 * i], ((float *)s->at)[2 * i + 1]);
}
static void put(const Side *s, i64 i, Z v) {
  if (s->real && s->wide) ((double *)s->at)[i] = creal(v);
  else if (s->real) ((float *)s->at)[i] = (float)creal(v);
  else if (s->wide) ((double *)s->at)[2 * i] = creal(v), ((double *)s->at)[2 * i + 1] = cimag(v);
  else ((float *)s->at)[2 * i] = (float)creal(v), ((float *)s->at)[2 * i + 1] = (float)cimag(v);
}

// The half of a row that a real one's transform repeats.
static void mirrored(Z *row, i64 n) {
  row[0] = creal(row[0]);
  if (n % 2 == 0) row[n / 2] = creal(row[n / 2]);
  for (i64 k = n / 2 + 1; k < n; k++) row[k] = conj(row[n - k]);
}
static int transformed(Z *whole, const i64 n[RANKS], int to_reals, i64 columns, int sign) {
  if (!to_reals) return along(whole, n, 2, n[2], sign) && along(whole, n, 1, columns, sign) && along(whole, n, 0, columns, sign);
  if (!along(whole, n, 0, columns, sign) || !along(whole, n, 1, columns, sign)) return 0;
  for (i64 row = 0; row < n[0] * n[1]; row++) mirrored(whole + row * n[2], n[2]);
  return along(whole, n, 2, n[2], sign);
}

static R run(int handle, const char *name, void *in, void *out, int type, int sign) {
  Plan *plan = plan_of(handle);
  Side from, to;
  if (!plan || plan->state != MADE || (type && plan->type != type)) return INVALID_PLAN;
  if (from_real(plan->type)) sign = FORWARD;
  if (to_real(plan->type)) sign = INVERSE;
  if (sign != FORWARD && sign != INVERSE) return BAD_VALUE;
  Error error = pd_answer(name, "cuFFT", "answered on the CPU: results are right, no figure is of it");
  if (error) return error == NOT_SUPPORTED ? UNSUPPORTED : EXEC_FAILED;
  if (!side(plan, 1, in, in == out, &from) || !side(plan, 0, out, in == out, &to)) return BAD_VALUE;
  const i64 *n = plan->n, all = n[0] * n[1] * n[2], half = n[2] / 2 + 1;
  Z *whole = calloc(all, sizeof *whole);
  if (!whole) return ALLOC_FAILED;
  int right = 1;
  for (i64 b = 0; b < plan->batch && right; b++) {
    for (i64 row = 0; row < n[0] * n[1]; row++)
      for (i64 z = 0; z < from.columns; z++)
        whole[row * n[2] + z] = value(&from, row_of(&from, b, row / n[1], row % n[1]) + z * from.stride);
    right = transformed(whole, n, to.real, from.real || to.real ? half : n[2], sign);
    for (i64 row = 0; row < n[0] * n[1] && right; row++)
      for (i64 z = 0; z < to.columns; z++)
        put(&to, row_of(&to, b, row / n[1], row % n[1]) + z * to.stride, whole[row * n[2] + z]);
  }
  free(whole);
  pd_written(to.at, to.reach);
  return right ? SUCCESS : ALLOC_FAILED;
}

API R cufftExecC2C(int h, void *in, void *out, int sign) { return run(h, "cufftExecC2C", in, out, C2C, sign); }
API R cufftExecZ2Z(int h, void *in, void *out, int sign) { return run(h, "cufftExecZ2Z", in, out, Z2Z, sign); }
API R cufftExecR2C(int h, void *in, void *out) { return run(h, "cufftExecR2C", in, out, R2C, FORWARD); }
API R cufftExecD2Z(int h, void *in, void *out) { return run(h, "cufftExecD2Z", in, out, D2Z, FORWARD); }
API R cufftExecC2R(int h, void *in, void *out) { return run(h, "cufftExecC2R", in, out, C2R, INVERSE); }
API R cufftExecZ2D(int h, void *in, void *out) { return run(h, "cufftExecZ2D", in, out, Z2D, INVERSE); }
API R cufftXtExec(int h, void *in, void *out, int sign) { return run(h, "cufftXtExec", in, out, 0, sign); }
