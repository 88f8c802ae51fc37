// Memory, copies, fills, symbols.
#include "cudart.h"

static E allocate(void **out, size_t size, int kind) {
  if (!out) return rt(INVALID_VALUE);
  u64 address = 0;
  Error error = pd_sticky();
  if (!error) error = pd_allocate(&address, size, kind);
  if (!error) *out = (void *)address;
  return rt(error);
}
API E cudaMalloc(void **p, size_t n) { return allocate(p, n, DEVICE); }
API E cudaMallocManaged(void **p, size_t n, unsigned flags) {
  return n && (flags == cudaMemAttachGlobal || flags == cudaMemAttachHost) ? allocate(p, n, MANAGED) : rt(INVALID_VALUE);
}
API E cudaMallocHost(void **p, size_t n) { return allocate(p, n, PINNED); }
API E cudaHostAlloc(void **p, size_t n, unsigned flags) { return flags > 7 ? rt(INVALID_VALUE) : allocate(p, n, PINNED); }
API E cudaFree(void *p) {
  Error error = rt_started();
  if (!error && p) error = pd_sync();
  return rt(error ? error : pd_free((u64)p, DEVICE, CALLER));
}
API E cudaFreeHost(void *p) { return rt(pd_free((u64)p, PINNED, CALLER)); }
API E cudaHostRegister(void *p, size_t n, unsigned flags) { return rt(flags > 15 ? INVALID_VALUE : pd_register(p, n)); }
API E cudaHostUnregister(void *p) { return rt(pd_unregister(p)); }
API E cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
  Allocation found;
  if (!device || flags) return rt(INVALID_VALUE);
  if (!pd_find((u64)host, &found) || found.kind == DEVICE) return rt(INVALID_VALUE);
  *device = host;
  return rt(OK);
}
API E cudaHostGetFlags(unsigned *flags, void *host) {
  Allocation found;
  if (!flags || !pd_find((u64)host, &found) || found.kind == DEVICE) return rt(INVALID_VALUE);
  *flags = cudaHostAllocMapped;
  return rt(OK);
}
static size_t pitched(size_t width) { return (width + 511) / 512 * 512; }
API E cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height) {
  if (!pitch || !width || !height) return rt(INVALID_VALUE);
  *pitch = pitched(width);
  return allocate(p, *pitch * height, DEVICE);
}
API E cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent e) {
  if (!p) return rt(INVALID_VALUE);
  *p = (struct cudaPitchedPtr){0, pitched(e.width), e.width, e.height};
  return allocate(&p->ptr, p->pitch * e.height * e.depth, DEVICE);
}
API E cudaMemGetInfo(size_t *left, size_t *total) {
  Error error = rt_started();
  if (error || !left || !total) return rt(error ? error : INVALID_VALUE);
  *total = pd_info()->memory, *left = *total - pd_used(pd_device());
  return rt(OK);
}
API E cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *p) {
  if (!a) return rt(INVALID_VALUE);
  Allocation found;
  memset(a, 0, sizeof *a);
  a->device = cudaInvalidDeviceId;
  if (!pd_find((u64)p, &found)) return rt(OK);
  a->device = found.device;
  a->type = found.kind == DEVICE ? cudaMemoryTypeDevice : found.kind == MANAGED ? cudaMemoryTypeManaged : cudaMemoryTypeHost;
  a->devicePointer = (void *)p;
  if (found.kind != DEVICE) a->hostPointer = (void *)p;
  return rt(OK);
}

// --- copies --------------------------------------------------------------------------------------

Operation rt_copy(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                  size_t height, Kind kind) {
  Operation out = {.type = MEMCPY};
  out.copy.copy = (Copy){to, from, to_pitch, to_pitch * height, from_pitch, from_pitch * height, width, height, 1, kind};
  struct cudaMemcpy3DParms told = {.srcPtr = {(void *)from, from_pitch, width, height},
    .dstPtr = {to, to_pitch, width, height}, .extent = {width, height, 1}, .kind = kind};
  memcpy(out.copy.parameters, &told, sizeof told);
  return out;
}
static E copy(void *to, size_t tp, const void *from, size_t fp, size_t w, size_t h, Kind k, void *stream) {
  Operation does = rt_copy(to, tp, from, fp, w, h, k);
  return rt(pd_submit(stream, &does));
}
API E cudaMemcpy(void *d, const void *s, size_t n, Kind k) { return copy(d, n, s, n, n, 1, k, 0); }
API E cudaMemcpyAsync(void *d, const void *s, size_t n, Kind k, cudaStream_t t) { return copy(d, n, s, n, n, 1, k, t); }
API E cudaMemcpyPeer(void *d, int to, const void *s, int from, size_t n) {
  return !pd_is_device(to) || !pd_is_device(from) ? rt(INVALID_DEVICE) : copy(d, n, s, n, n, 1, cudaMemcpyDefault, 0);
}
API E cudaMemcpyPeerAsync(void *d, int to, const void *s, int from, size_t n, cudaStream_t t) {
  return !pd_is_device(to) || !pd_is_device(from) ? rt(INVALID_DEVICE) : copy(d, n, s, n, n, 1, cudaMemcpyDefault, t);
}
API E cudaMemcpy2D(void *d, size_t dp, const void *s, size_t sp, size_t w, size_t h, Kind k) {
  return w > dp || w > sp ? rt(INVALID_PITCH) : copy(d, dp, s, sp, w, h, k, 0);
}
API E cudaMemcpy2DAsync(void *d, size_t dp, const void *s, size_t sp, size_t w, size_t h, Kind k, cudaStream_t t) {
  return w > dp || w > sp ? rt(INVALID_PITCH) : copy(d, dp, s, sp, w, h, k, t);
}
#if CUDART >= 13
API E cudaMemcpyBatchAsync(void *const *d, const void *const *s, const size_t *n, size_t count,
    struct cudaMemcpyAttributes *a, size_t *at, size_t attributes, cudaStream_t t) {
  E error = cudaSuccess;
  for (size_t i = 0; i < count && !error; i++) error = copy(d[i], n[i], s[i], n[i], n[i], 1, cudaMemcpyDefault, t);
  return error;
}
#endif

Error rt_copy_3d(const struct cudaMemcpy3DParms *p, Operation *out) {
  if (!p) return INVALID_VALUE;
  Array *from = p->srcArray ? pd_array(p->srcArray) : 0, *to = p->dstArray ? pd_array(p->dstArray) : 0;
  if ((p->srcArray && !from) || (p->dstArray && !to)) return INVALID_HANDLE;
  size_t unit = from ? from->texel : to ? to->texel : 1;
  Copy c = {.width = p->extent.width * unit, .height = p->extent.height, .depth = p->extent.depth, .kind = p->kind};
  if (from) {
    c.from_pitch = from->width * from->texel, c.from_slice = c.from_pitch * (from->height ? from->height : 1);
    c.from = (char *)from->address + p->srcPos.x * from->texel;
  } else {
    c.from_pitch = p->srcPtr.pitch, c.from_slice = c.from_pitch * p->srcPtr.ysize;
    c.from = (char *)p->srcPtr.ptr + p->srcPos.x;
  }
  if (to) {
    c.to_pitch = to->width * to->texel, c.to_slice = c.to_pitch * (to->height ? to->height : 1);
    c.to = (char *)to->address + p->dstPos.x * to->texel;
  } else {
    c.to_pitch = p->dstPtr.pitch, c.to_slice = c.to_pitch * p->dstPtr.ysize;
    c.to = (char *)p->dstPtr.ptr + p->dstPos.x;
  }
  c.from += p->srcPos.z * c.from_slice + p->srcPos.y * c.from_pitch;
  c.to += p->dstPos.z * c.to_slice + p->dstPos.y * c.to_pitch;
  *out = (Operation){.type = MEMCPY};
  out->copy.copy = c;
  memcpy(out->copy.parameters, p, sizeof *p);
  return OK;
}
API E cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t s) {
  Operation does;
  Error error = rt_copy_3d(p, &does);
  return rt(error ? error : pd_submit(s, &does));
}
API E cudaMemcpy3D(const struct cudaMemcpy3DParms *p) { return cudaMemcpy3DAsync(p, 0); }
API E cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t s) {
  if (!p || !pd_is_device(p->srcDevice) || !pd_is_device(p->dstDevice)) return rt(p ? INVALID_DEVICE : INVALID_VALUE);
  struct cudaMemcpy3DParms plain = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray, p->dstPos, p->dstPtr, p->extent, cudaMemcpyDefault};
  return cudaMemcpy3DAsync(&plain, s);
}
API E cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p) { return cudaMemcpy3DPeerAsync(p, 0); }

// --- fills ---------------------------------------------------------------------------------------

static E fill(void *to, size_t pitch, int value, size_t w, size_t h, size_t d, size_t slice, void *stream) {
  Operation does = {.type = MEMSET};
  does.fill.fill = (Fill){to, pitch, slice, w, h, d, (unsigned char)value, 1};
  struct cudaMemsetParams told = {to, pitch, (unsigned char)value, 1, w, h};
  memcpy(does.fill.parameters, &told, sizeof told);
  return rt(pd_submit(stream, &does));
}
API E cudaMemset(void *p, int v, size_t n) { return fill(p, n, v, n, 1, 1, n, 0); }
API E cudaMemsetAsync(void *p, int v, size_t n, cudaStream_t s) { return fill(p, n, v, n, 1, 1, n, s); }
API E cudaMemset2D(void *p, size_t pitch, int v, size_t w, size_t h) { return w > pitch ? rt(INVALID_VALUE) : fill(p, pitch, v, w, h, 1, 0, 0); }
API E cudaMemset2DAsync(void *p, size_t pitch, int v, size_t w, size_t h, cudaStream_t s) { return w > pitch ? rt(INVALID_VALUE) : fill(p, pitch, v, w, h, 1, 0, s); }
API E cudaMemset3DAsync(struct cudaPitchedPtr p, int v, struct cudaExtent e, cudaStream_t s) {
  return fill(p.ptr, p.pitch, v, e.width, e.height, e.depth, p.pitch * p.ysize, s);
}
API E cudaMemset3D(struct cudaPitchedPtr p, int v, struct cudaExtent e) { return cudaMemset3DAsync(p, v, e, 0); }
Error rt_memset(const struct cudaMemsetParams *p, Operation *out) {
  if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4)) return INVALID_VALUE;
  *out = (Operation){.type = MEMSET};
  out->fill.fill = (Fill){p->dst, p->pitch, 0, p->width, p->height, 1, p->value, p->elementSize};
  memcpy(out->fill.parameters, p, sizeof *p);
  return OK;
}

// --- symbols -------------------------------------------------------------------------------------

E rt_symbol(const void *symbol, char **address, size_t *size) {
  Variable *v = pd_variable(symbol);
  if (!v) return INVALID_SYMBOL;
  Error error = pd_variable_ready(v);
  *address = (char *)v->address[pd_device()];
  if (size) *size = v->size;
  return error;
}
API E cudaGetSymbolAddress(void **p, const void *symbol) {
  char *at = 0;
  Error error = p ? rt_symbol(symbol, &at, 0) : INVALID_VALUE;
  if (!error) *p = at;
  return rt(error);
}
API E cudaGetSymbolSize(size_t *n, const void *symbol) {
  char *at = 0;
  return rt(n ? rt_symbol(symbol, &at, n) : INVALID_VALUE);
}
API E cudaMemcpyToSymbolAsync(const void *symbol, const void *s, size_t n, size_t offset, Kind k, cudaStream_t t) {
  char *at = 0;
  size_t size = 0;
  Error error = rt_symbol(symbol, &at, &size);
  if (error || offset + n > size) return rt(error ? error : INVALID_VALUE);
  return copy(at + offset, n, s, n, n, 1, k, t);
}
API E cudaMemcpyFromSymbolAsync(void *d, const void *symbol, size_t n, size_t offset, Kind k, cudaStream_t t) {
  char *at = 0;
  size_t size = 0;
  Error error = rt_symbol(symbol, &at, &size);
  if (error || offset + n > size) return rt(error ? error : INVALID_VALUE);
  return copy(d, n, at + offset, n, n, 1, k, t);
}
API E cudaMemcpyToSymbol(const void *symbol, const void *s, size_t n, size_t o, Kind k) { return cudaMemcpyToSymbolAsync(symbol, s, n, o, k, 0); }
API E cudaMemcpyFromSymbol(void *d, const void *symbol, size_t n, size_t o, Kind k) { return cudaMemcpyFromSymbolAsync(d, symbol, n, o, k, 0); }

// --- managed memory: pages need not move ---------------------------------------------------------

static E of_device(const void *p, size_t n) {
  return rt(p && n && pd_host(p, n) ? pd_sticky() : INVALID_VALUE);
}
#if CUDART >= 13
API E cudaMemPrefetchAsync(const void *p, size_t n, struct cudaMemLocation l, unsigned f, cudaStream_t s) { return of_device(p, n); }
API E cudaMemAdvise(const void *p, size_t n, enum cudaMemoryAdvise a, struct cudaMemLocation l) { return of_device(p, n); }
#else
API E prefetch12(const void *p, size_t n, int device, cudaStream_t s) NAMED("cudaMemPrefetchAsync");
API E prefetch12(const void *p, size_t n, int device, cudaStream_t s) { return of_device(p, n); }
API E cudaMemPrefetchAsync_v2(const void *p, size_t n, struct cudaMemLocation l, unsigned f, cudaStream_t s) { return of_device(p, n); }
API E advise12(const void *p, size_t n, enum cudaMemoryAdvise a, int device) NAMED("cudaMemAdvise");
API E advise12(const void *p, size_t n, enum cudaMemoryAdvise a, int device) { return of_device(p, n); }
API E cudaMemAdvise_v2(const void *p, size_t n, enum cudaMemoryAdvise a, struct cudaMemLocation l) { return of_device(p, n); }
#endif
API E cudaMemRangeGetAttribute(void *data, size_t size, enum cudaMemRangeAttribute a, const void *p, size_t n) {
  if (!data || !size || !pd_host(p, n)) return rt(INVALID_VALUE);
  memset(data, 0, size);
  if (size >= 4 && a != cudaMemRangeAttributeReadMostly) *(int *)data = a == cudaMemRangeAttributeAccessedBy ? cudaInvalidDeviceId : 0;
  return rt(OK);
}

// --- pools: memory in the order of a stream ------------------------------------------------------

API E cudaMallocFromPoolAsync(void **p, size_t n, cudaMemPool_t pool, cudaStream_t s) { return rt(p ? pd_pool_allocate((u64 *)p, n, pool, s) : INVALID_VALUE); }
API E cudaMallocAsync(void **p, size_t n, cudaStream_t s) { return cudaMallocFromPoolAsync(p, n, (cudaMemPool_t)pd_pool_of(s), s); }
API E cudaFreeAsync(void *p, cudaStream_t s) { return rt(pd_pool_free((u64)p, s, CALLER)); }
API E cudaMemPoolCreate(cudaMemPool_t *out, const struct cudaMemPoolProps *props) {
  if (!out || !props || props->allocType != cudaMemAllocationTypePinned) return rt(INVALID_VALUE);
  int device = props->location.type == cudaMemLocationTypeDevice ? props->location.id : 0;
  if (!pd_is_device(device)) return rt(INVALID_DEVICE);
  *out = (cudaMemPool_t)pd_pool_new(device);
  return rt(OK);
}
API E cudaMemPoolDestroy(cudaMemPool_t p) { return rt(pd_pool_drop(p)); }
API E cudaDeviceGetDefaultMemPool(cudaMemPool_t *p, int d) { if (!pd_is_device(d) || !p) return rt(p ? INVALID_DEVICE : INVALID_VALUE); *p = (cudaMemPool_t)pd_pool_standard(d); return rt(OK); }
API E cudaDeviceGetMemPool(cudaMemPool_t *p, int d) { if (!pd_is_device(d) || !p) return rt(p ? INVALID_DEVICE : INVALID_VALUE); *p = (cudaMemPool_t)pd_pool_current(d); return rt(OK); }
API E cudaDeviceSetMemPool(int d, cudaMemPool_t p) { if (!pd_is_device(d) || !pd_pool(p)) return rt(pd_pool(p) ? INVALID_DEVICE : INVALID_VALUE); pd_pool_set(d, pd_pool(p)); return rt(OK); }
API E cudaMemPoolTrimTo(cudaMemPool_t p, size_t n) { return rt(pd_pool(p) ? OK : INVALID_VALUE); }
API E cudaMemPoolSetAccess(cudaMemPool_t p, const struct cudaMemAccessDesc *d, size_t n) {
  Error error = d || !n ? OK : INVALID_VALUE;
  for (size_t i = 0; i < n && !error; i++)
    error = pd_pool_share(p, d[i].location.id, d[i].flags != cudaMemAccessFlagsProtNone);
  return rt(error);
}
API E cudaMemPoolGetAccess(enum cudaMemAccessFlags *f, cudaMemPool_t p, struct cudaMemLocation *l) {
  if (!f || !l || !pd_pool(p)) return rt(INVALID_VALUE);
  *f = pd_pool_reaches(pd_pool(p), l->id) ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
  return rt(OK);
}
API E cudaMemPoolSetAttribute(cudaMemPool_t p, enum cudaMemPoolAttr a, void *v) { return rt(pd_pool_set_attribute(p, a, v)); }
API E cudaMemPoolGetAttribute(cudaMemPool_t p, enum cudaMemPoolAttr a, void *v) { return rt(pd_pool_get_attribute(p, a, v)); }
