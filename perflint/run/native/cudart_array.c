// Arrays, textures, surfaces.
#include "cudart.h"

static int plain_format(enum cudaChannelFormatKind f) {
  return f == cudaChannelFormatKindSigned ? 0 : f == cudaChannelFormatKindUnsigned ? 1 : f == cudaChannelFormatKindFloat ? 2 : -1;
}
static E make(cudaArray_t *out, const struct cudaChannelFormatDesc *c, size_t w, size_t h, size_t d, unsigned flags) {
  if (!out || !c || plain_format(c->f) < 0) return rt(INVALID_VALUE);
  int bits[] = {c->x, c->y, c->z, c->w};
  return rt(pd_array_new((Array **)out, bits, plain_format(c->f), w, h, d, flags));
}
API E cudaMallocArray(cudaArray_t *a, const struct cudaChannelFormatDesc *c, size_t w, size_t h, unsigned f) { return make(a, c, w, h, 0, f); }
API E cudaMalloc3DArray(cudaArray_t *a, const struct cudaChannelFormatDesc *c, struct cudaExtent e, unsigned f) { return make(a, c, e.width, e.height, e.depth, f); }
API E cudaFreeArray(cudaArray_t a) {
  if (!a) return rt(OK);
  return rt(pd_array(a) ? pd_array_drop(pd_array(a), CALLER) : INVALID_HANDLE);
}
API struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f) {
  return (struct cudaChannelFormatDesc){x, y, z, w, f};
}
static struct cudaChannelFormatDesc described(const Array *a) {
  return (struct cudaChannelFormatDesc){a->bits[0], a->bits[1], a->bits[2], a->bits[3], (enum cudaChannelFormatKind)a->format};
}
API E cudaGetChannelDesc(struct cudaChannelFormatDesc *out, cudaArray_const_t handle) {
  Array *a = pd_array(handle);
  if (!a || !out) return rt(INVALID_VALUE);
  *out = described(a);
  return rt(OK);
}
API E cudaArrayGetInfo(struct cudaChannelFormatDesc *c, struct cudaExtent *e, unsigned *flags, cudaArray_t handle) {
  Array *a = pd_array(handle);
  if (!a) return rt(INVALID_HANDLE);
  if (c) *c = described(a);
  if (e) *e = (struct cudaExtent){a->width, a->height, a->depth};
  if (flags) *flags = a->flags;
  return rt(OK);
}

// --- copies --------------------------------------------------------------------------------------

static size_t row(const Array *a) { return a->width * a->texel; }
static E submit(void *to, size_t tp, const void *from, size_t fp, size_t w, size_t h, Kind k, void *s) {
  Operation does = rt_copy(to, tp, from, fp, w, h, k);
  return rt(pd_submit(s, &does));
}
API E cudaMemcpy2DToArrayAsync(cudaArray_t handle, size_t x, size_t y, const void *s, size_t sp, size_t w, size_t h, Kind k, cudaStream_t t) {
  Array *a = pd_array(handle);
  if (!a || x + w > row(a)) return rt(a ? INVALID_VALUE : INVALID_HANDLE);
  return submit((char *)a->address + y * row(a) + x, row(a), s, sp, w, h, k, t);
}
API E cudaMemcpy2DToArray(cudaArray_t a, size_t x, size_t y, const void *s, size_t sp, size_t w, size_t h, Kind k) { return cudaMemcpy2DToArrayAsync(a, x, y, s, sp, w, h, k, 0); }
API E cudaMemcpy2DFromArrayAsync(void *d, size_t dp, cudaArray_const_t handle, size_t x, size_t y, size_t w, size_t h, Kind k, cudaStream_t t) {
  Array *a = pd_array(handle);
  if (!a || x + w > row(a)) return rt(a ? INVALID_VALUE : INVALID_HANDLE);
  return submit(d, dp, (char *)a->address + y * row(a) + x, row(a), w, h, k, t);
}
API E cudaMemcpy2DFromArray(void *d, size_t dp, cudaArray_const_t a, size_t x, size_t y, size_t w, size_t h, Kind k) { return cudaMemcpy2DFromArrayAsync(d, dp, a, x, y, w, h, k, 0); }
API E cudaMemcpyToArrayAsync(cudaArray_t handle, size_t x, size_t y, const void *s, size_t n, Kind k, cudaStream_t t) {
  Array *a = pd_array(handle);
  return a ? submit((char *)a->address + y * row(a) + x, n, s, n, n, 1, k, t) : rt(INVALID_HANDLE);
}
API E cudaMemcpyToArray(cudaArray_t a, size_t x, size_t y, const void *s, size_t n, Kind k) { return cudaMemcpyToArrayAsync(a, x, y, s, n, k, 0); }
API E cudaMemcpyFromArrayAsync(void *d, cudaArray_const_t handle, size_t x, size_t y, size_t n, Kind k, cudaStream_t t) {
  Array *a = pd_array(handle);
  return a ? submit(d, n, (char *)a->address + y * row(a) + x, n, n, 1, k, t) : rt(INVALID_HANDLE);
}
API E cudaMemcpyFromArray(void *d, cudaArray_const_t a, size_t x, size_t y, size_t n, Kind k) { return cudaMemcpyFromArrayAsync(d, a, x, y, n, k, 0); }
API E cudaMemcpy2DArrayToArray(cudaArray_t d, size_t dx, size_t dy, cudaArray_const_t s, size_t sx, size_t sy, size_t w, size_t h, Kind k) {
  Array *to = pd_array(d), *from = pd_array(s);
  if (!to || !from) return rt(INVALID_HANDLE);
  return submit((char *)to->address + dy * row(to) + dx, row(to), (char *)from->address + sy * row(from) + sx, row(from), w, h, k, 0);
}
API E cudaMemcpyArrayToArray(cudaArray_t d, size_t dx, size_t dy, cudaArray_const_t s, size_t sx, size_t sy, size_t n, Kind k) {
  Array *to = pd_array(d), *from = pd_array(s);
  if (!to || !from) return rt(INVALID_HANDLE);
  return submit((char *)to->address + dy * row(to) + dx, n, (char *)from->address + sy * row(from) + sx, n, n, 1, k, 0);
}

// --- textures and surfaces -----------------------------------------------------------------------

typedef struct Bound {
  u64 handle;
  struct cudaResourceDesc resource;
  struct cudaTextureDesc texture;
  struct Bound *next;
} Bound;
static Bound *bound;

static Error bind(u64 *out, const struct cudaResourceDesc *r, const struct cudaTextureDesc *t) {
  static const struct cudaTextureDesc none;
  if (!out || !r) return INVALID_VALUE;
  if (!t) t = &none;
  Texture x = {.linear = t->filterMode == cudaFilterModeLinear, .normalized = t->normalizedCoords != 0,
               .as_float = t->readMode == cudaReadModeNormalizedFloat, .srgb = t->sRGB != 0};
  for (int i = 0; i < 3; i++) x.mode[i] = t->addressMode[i];
  memcpy(x.border, t->borderColor, sizeof x.border);
  struct cudaChannelFormatDesc c;
  if (r->resType == cudaResourceTypeArray) {
    Array *a = pd_array(r->res.array.array);
    if (!a) return INVALID_HANDLE;
    c = described(a);
    x.address = a->address, x.width = a->width, x.height = a->height, x.depth = a->depth;
    x.flags = a->flags, x.pitch = row(a);
  } else if (r->resType == cudaResourceTypeLinear) {
    c = r->res.linear.desc;
    x.address = (u64)r->res.linear.devPtr;
    int bits = c.x + c.y + c.z + c.w;
    if (bits < 8) return INVALID_VALUE;
    x.width = r->res.linear.sizeInBytes * 8 / bits, x.linear = 0;
  } else if (r->resType == cudaResourceTypePitch2D) {
    c = r->res.pitch2D.desc;
    x.address = (u64)r->res.pitch2D.devPtr, x.width = r->res.pitch2D.width;
    x.height = r->res.pitch2D.height, x.pitch = r->res.pitch2D.pitchInBytes;
  } else {
    return pd_missing("cudaCreateTextureObject", "textures of mipmapped arrays: levels are not simulated");
  }
  x.bits = c.x, x.channels = (c.x > 0) + (c.y > 0) + (c.z > 0) + (c.w > 0);
  if (plain_format(c.f) < 0) return pd_missing("cudaCreateTextureObject", "this channel format is not simulated");
  x.format = plain_format(c.f);
  Error error = pd_bind(out, &x);
  if (error) return error;
  Bound *b = malloc(sizeof *b);
  pd_lock();
  *b = (Bound){*out, *r, *t, bound};
  bound = b;
  pd_unlock();
  return OK;
}
static Bound *known(u64 handle) {
  pd_lock();
  Bound *b = bound;
  while (b && b->handle != handle) b = b->next;
  pd_unlock();
  return b;
}
static E drop(u64 handle) {
  Bound *b = known(handle);
  if (!b) return rt(handle ? INVALID_VALUE : OK);
  b->handle = 0;
  return rt(pd_unbind(handle));
}
API E cudaCreateTextureObject(cudaTextureObject_t *o, const struct cudaResourceDesc *r, const struct cudaTextureDesc *t,
    const struct cudaResourceViewDesc *v) {
  u64 handle = 0;
  Error error = v ? pd_missing("cudaCreateTextureObject", "resource views are not simulated") : bind(&handle, r, t);
  if (!error) *o = handle;
  return rt(error);
}
API E cudaCreateSurfaceObject(cudaSurfaceObject_t *o, const struct cudaResourceDesc *r) {
  u64 handle = 0;
  Error error = r && r->resType == cudaResourceTypeArray ? bind(&handle, r, 0) : INVALID_VALUE;
  if (!error) *o = handle;
  return rt(error);
}
API E cudaDestroyTextureObject(cudaTextureObject_t o) { return drop(o); }
API E cudaDestroySurfaceObject(cudaSurfaceObject_t o) { return drop(o); }
API E cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *r, cudaTextureObject_t o) {
  Bound *b = known(o);
  if (b) *r = b->resource;
  return rt(b ? OK : INVALID_VALUE);
}
API E cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *r, cudaSurfaceObject_t o) { return cudaGetTextureObjectResourceDesc(r, o); }
API E cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *t, cudaTextureObject_t o) {
  Bound *b = known(o);
  if (b) *t = b->texture;
  return rt(b ? OK : INVALID_VALUE);
}
API E cudaDeviceGetTexture1DLinearMaxWidth(size_t *n, const struct cudaChannelFormatDesc *c, int d) { *n = 1 << 28; return rt(OK); }
