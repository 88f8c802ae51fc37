// The driver's memory, arrays and textures.
#include "device.h"
#include <cuda.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
#define R(error) return (CUresult)(error)
typedef CUdeviceptr P;

static Error allocate(void *out, size_t size, int kind) {
  u64 address;
  if (!out || !size) return INVALID_VALUE;
  Error error = pd_allocate(&address, size, kind);
  if (!error) memcpy(out, &address, sizeof address);
  return error;
}
API CUresult cuMemAlloc_v2(P *p, size_t n) { R(allocate(p, n, DEVICE)); }
API CUresult cuMemAllocFromPoolAsync(P *p, size_t n, CUmemoryPool pool, CUstream s) { R(pd_pool_allocate((u64 *)p, n, pool, s)); }
API CUresult cuMemAllocAsync(P *p, size_t n, CUstream s) { return cuMemAllocFromPoolAsync(p, n, (CUmemoryPool)pd_pool_of(s), s); }
API CUresult cuMemFree_v2(P p) { R(pd_free(p, DEVICE, CALLER)); }
API CUresult cuMemFreeAsync(P p, CUstream s) { R(pd_pool_free(p, s, CALLER)); }
API CUresult cuMemPoolCreate(CUmemoryPool *out, const CUmemPoolProps *props) {
  if (!out || !props || props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED) R(INVALID_VALUE);
  int device = props->location.type == CU_MEM_LOCATION_TYPE_DEVICE ? props->location.id : 0;
  if (!pd_is_device(device)) R(INVALID_DEVICE);
  *out = (CUmemoryPool)pd_pool_new(device);
  R(OK);
}
API CUresult cuMemPoolDestroy(CUmemoryPool p) { R(pd_pool_drop(p)); }
API CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *p, CUdevice d) { if (!pd_is_device(d) || !p) R(p ? INVALID_DEVICE : INVALID_VALUE); *p = (CUmemoryPool)pd_pool_standard(d); R(OK); }
API CUresult cuDeviceGetMemPool(CUmemoryPool *p, CUdevice d) { if (!pd_is_device(d) || !p) R(p ? INVALID_DEVICE : INVALID_VALUE); *p = (CUmemoryPool)pd_pool_current(d); R(OK); }
API CUresult cuDeviceSetMemPool(CUdevice d, CUmemoryPool p) { if (!pd_is_device(d) || !pd_pool(p)) R(pd_pool(p) ? INVALID_DEVICE : INVALID_VALUE); pd_pool_set(d, pd_pool(p)); R(OK); }
API CUresult cuMemGetDefaultMemPool(CUmemoryPool *p, CUmemLocation *l, CUmemAllocationType t) { return cuDeviceGetDefaultMemPool(p, l->id); }
API CUresult cuMemGetMemPool(CUmemoryPool *p, CUmemLocation *l, CUmemAllocationType t) { return cuDeviceGetMemPool(p, l->id); }
API CUresult cuMemSetMemPool(CUmemLocation *l, CUmemAllocationType t, CUmemoryPool p) { return cuDeviceSetMemPool(l->id, p); }
API CUresult cuMemPoolTrimTo(CUmemoryPool p, size_t n) { R(pd_pool(p) ? OK : INVALID_VALUE); }
API CUresult cuMemPoolSetAccess(CUmemoryPool p, const CUmemAccessDesc *d, size_t n) {
  Error error = d || !n ? OK : INVALID_VALUE;
  for (size_t i = 0; i < n && !error; i++)
    error = pd_pool_share(p, d[i].location.id, d[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE);
  R(error);
}
API CUresult cuMemPoolGetAccess(CUmemAccess_flags *f, CUmemoryPool p, CUmemLocation *l) {
  if (!f || !l || !pd_pool(p)) R(INVALID_VALUE);
  *f = pd_pool_reaches(pd_pool(p), l->id) ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  R(OK);
}
API CUresult cuMemPoolSetAttribute(CUmemoryPool p, CUmemPool_attribute a, void *v) { R(pd_pool_set_attribute(p, a, v)); }
API CUresult cuMemPoolGetAttribute(CUmemoryPool p, CUmemPool_attribute a, void *v) { R(pd_pool_get_attribute(p, a, v)); }
API CUresult cuMemAllocManaged(P *p, size_t n, unsigned flags) { R(allocate(p, n, MANAGED)); }
API CUresult cuMemAllocHost_v2(void **p, size_t n) { R(allocate(p, n, PINNED)); }
API CUresult cuMemHostAlloc(void **p, size_t n, unsigned flags) { R(allocate(p, n, PINNED)); }
API CUresult cuMemFreeHost(void *p) { R(pd_free((u64)p, PINNED, CALLER)); }
API CUresult cuMemHostRegister_v2(void *p, size_t n, unsigned flags) { R(pd_register(p, n)); }
API CUresult cuMemHostUnregister(void *p) { R(pd_unregister(p)); }
API CUresult cuMemHostGetDevicePointer_v2(P *d, void *p, unsigned flags) {
  Allocation found;
  *d = (P)p;
  R(pd_find((u64)p, &found) ? OK : INVALID_VALUE);
}
API CUresult cuMemHostGetFlags(unsigned *f, void *p) { *f = 0; R(OK); }
API CUresult cuMemAllocPitch_v2(P *p, size_t *pitch, size_t width, size_t height, unsigned element) {
  *pitch = (width + 511) / 512 * 512;
  R(allocate(p, *pitch * height, DEVICE));
}
API CUresult cuMemGetInfo_v2(size_t *left, size_t *total) { *total = pd_info()->memory, *left = *total - pd_used(pd_device()); R(OK); }
API CUresult cuMemGetAddressRange_v2(P *base, size_t *size, P p) {
  Allocation found;
  if (!pd_find(p, &found)) R(NOT_FOUND);
  if (base) *base = found.address;
  if (size) *size = found.size;
  R(OK);
}
API CUresult cuPointerGetAttribute(void *data, CUpointer_attribute a, P p) {
  Allocation found;
  if (!pd_find(p, &found)) R(INVALID_VALUE);
  switch (a) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: *(unsigned *)data = found.kind == DEVICE || found.kind == MANAGED ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *(P *)data = p; break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER: if (found.kind == DEVICE) R(INVALID_VALUE); *(P *)data = p; break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(unsigned *)data = found.kind == MANAGED; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)data = found.device; break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: *(P *)data = found.address; break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *(size_t *)data = found.size; break;
    case CU_POINTER_ATTRIBUTE_MAPPED: *(unsigned *)data = 1; break;
    default: R(INVALID_VALUE);
  }
  R(OK);
}
API CUresult cuMemPrefetchAsync_v2(P p, size_t n, CUmemLocation l, unsigned f, CUstream s) { R(OK); }
API CUresult cuMemAdvise_v2(P p, size_t n, CUmem_advise a, CUmemLocation l) { R(OK); }

// --- copies and fills ----------------------------------------------------------------------------

static Error submit(const Copy *copy, void *stream) {
  Operation does = {.type = MEMCPY};
  does.copy.copy = *copy;
  return pd_submit(stream, &does);
}
static Error flat(P to, P from, size_t n, int kind, void *stream) {
  Copy copy = {(char *)to, (const char *)from, n, n, n, n, n, 1, 1, kind};
  return submit(&copy, stream);
}
API CUresult cuMemcpy(P d, P s, size_t n) { R(flat(d, s, n, 4, 0)); }
API CUresult cuMemcpyPeer(P d, CUcontext to, P s, CUcontext from, size_t n) { R(flat(d, s, n, 4, 0)); }
API CUresult cuMemcpyPeerAsync(P d, CUcontext to, P s, CUcontext from, size_t n, CUstream t) { R(flat(d, s, n, 4, t)); }
API CUresult cuMemcpyAsync(P d, P s, size_t n, CUstream t) { R(flat(d, s, n, 4, t)); }
API CUresult cuMemcpyHtoD_v2(P d, const void *s, size_t n) { R(flat(d, (P)s, n, 1, 0)); }
API CUresult cuMemcpyDtoH_v2(void *d, P s, size_t n) { R(flat((P)d, s, n, 2, 0)); }
API CUresult cuMemcpyDtoD_v2(P d, P s, size_t n) { R(flat(d, s, n, 3, 0)); }
API CUresult cuMemcpyHtoDAsync_v2(P d, const void *s, size_t n, CUstream t) { R(flat(d, (P)s, n, 1, t)); }
API CUresult cuMemcpyDtoHAsync_v2(void *d, P s, size_t n, CUstream t) { R(flat((P)d, s, n, 2, t)); }
API CUresult cuMemcpyDtoDAsync_v2(P d, P s, size_t n, CUstream t) { R(flat(d, s, n, 3, t)); }

static Error side(CUmemorytype type, const void *host, P device, CUarray array, size_t pitch, size_t height,
                  size_t x, size_t y, size_t z, const char **at, size_t *row, size_t *slice) {
  if (type == CU_MEMORYTYPE_ARRAY) {
    Array *a = pd_array(array);
    if (!a) return INVALID_HANDLE;
    *row = a->width * a->texel, *slice = *row * (a->height ? a->height : 1);
    *at = (const char *)a->address;
  } else {
    *at = type == CU_MEMORYTYPE_HOST ? host : (const char *)device;
    *row = pitch, *slice = pitch * height;
  }
  *at += x + y * *row + z * *slice;
  return OK;
}
API CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *p, CUstream s) {
  Copy c = {.width = p->WidthInBytes, .height = p->Height, .depth = p->Depth, .kind = 4};
  const char *to;
  Error error = side(p->srcMemoryType, p->srcHost, p->srcDevice, p->srcArray, p->srcPitch, p->srcHeight,
                     p->srcXInBytes, p->srcY, p->srcZ, &c.from, &c.from_pitch, &c.from_slice);
  if (!error) error = side(p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, p->dstPitch, p->dstHeight,
                           p->dstXInBytes, p->dstY, p->dstZ, &to, &c.to_pitch, &c.to_slice);
  c.to = (char *)to;
  R(error ? error : submit(&c, s));
}
API CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *p) { return cuMemcpy3DAsync_v2(p, 0); }
API CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *p, CUstream s) {
  CUDA_MEMCPY3D whole = {.srcXInBytes = p->srcXInBytes, .srcY = p->srcY, .srcMemoryType = p->srcMemoryType,
    .srcHost = p->srcHost, .srcDevice = p->srcDevice, .srcArray = p->srcArray,
    .srcPitch = p->srcPitch ? p->srcPitch : p->WidthInBytes, .dstXInBytes = p->dstXInBytes, .dstY = p->dstY,
    .dstMemoryType = p->dstMemoryType, .dstHost = p->dstHost, .dstDevice = p->dstDevice,
    .dstArray = p->dstArray, .dstPitch = p->dstPitch ? p->dstPitch : p->WidthInBytes,
    .WidthInBytes = p->WidthInBytes, .Height = p->Height, .Depth = 1};
  return cuMemcpy3DAsync_v2(&whole, s);
}
API CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *p) { return cuMemcpy2DAsync_v2(p, 0); }
API CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *p) { return cuMemcpy2DAsync_v2(p, 0); }
API CUresult cuMemcpyHtoA_v2(CUarray a, size_t at, const void *s, size_t n) {
  Array *array = pd_array(a);
  R(array ? flat(array->address + at, (P)s, n, 4, 0) : INVALID_HANDLE);
}
API CUresult cuMemcpyAtoH_v2(void *d, CUarray a, size_t at, size_t n) {
  Array *array = pd_array(a);
  R(array ? flat((P)d, array->address + at, n, 4, 0) : INVALID_HANDLE);
}
static Error fill(P p, size_t pitch, u32 value, u32 unit, size_t w, size_t h, void *stream) {
  Operation does = {.type = MEMSET};
  does.fill.fill = (Fill){(char *)p, pitch, 0, w, h, 1, value, unit};
  return p % unit ? INVALID_VALUE : pd_submit(stream, &does);
}
API CUresult cuMemsetD8_v2(P p, unsigned char v, size_t n) { R(fill(p, n, v, 1, n, 1, 0)); }
API CUresult cuMemsetD16_v2(P p, unsigned short v, size_t n) { R(fill(p, 2 * n, v, 2, n, 1, 0)); }
API CUresult cuMemsetD32_v2(P p, unsigned v, size_t n) { R(fill(p, 4 * n, v, 4, n, 1, 0)); }
API CUresult cuMemsetD8Async(P p, unsigned char v, size_t n, CUstream s) { R(fill(p, n, v, 1, n, 1, s)); }
API CUresult cuMemsetD16Async(P p, unsigned short v, size_t n, CUstream s) { R(fill(p, 2 * n, v, 2, n, 1, s)); }
API CUresult cuMemsetD32Async(P p, unsigned v, size_t n, CUstream s) { R(fill(p, 4 * n, v, 4, n, 1, s)); }
API CUresult cuMemsetD2D8_v2(P p, size_t pitch, unsigned char v, size_t w, size_t h) { R(fill(p, pitch, v, 1, w, h, 0)); }
API CUresult cuMemsetD2D16_v2(P p, size_t pitch, unsigned short v, size_t w, size_t h) { R(fill(p, pitch, v, 2, w, h, 0)); }
API CUresult cuMemsetD2D32_v2(P p, size_t pitch, unsigned v, size_t w, size_t h) { R(fill(p, pitch, v, 4, w, h, 0)); }

// --- arrays and textures -------------------------------------------------------------------------

static int shape_of(CUarray_format f, int *bits) {  // our format; -1: not simulated
  switch (f) {
    case CU_AD_FORMAT_UNSIGNED_INT8: *bits = 8; return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16: *bits = 16; return 1;
    case CU_AD_FORMAT_UNSIGNED_INT32: *bits = 32; return 1;
    case CU_AD_FORMAT_SIGNED_INT8: *bits = 8; return 0;
    case CU_AD_FORMAT_SIGNED_INT16: *bits = 16; return 0;
    case CU_AD_FORMAT_SIGNED_INT32: *bits = 32; return 0;
    case CU_AD_FORMAT_HALF: *bits = 16; return 2;
    case CU_AD_FORMAT_FLOAT: *bits = 32; return 2;
    default: return -1;
  }
}
API CUresult cuArray3DCreate_v2(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *d) {
  int each, bits[4] = {0}, format = shape_of(d->Format, &each);
  if (format < 0) R(pd_missing("cuArray3DCreate", "this channel format is not simulated"));
  for (unsigned i = 0; i < d->NumChannels && i < 4; i++) bits[i] = each;
  R(pd_array_new((Array **)out, bits, format, d->Width, d->Height, d->Depth, d->Flags));
}
API CUresult cuArrayCreate_v2(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *d) {
  CUDA_ARRAY3D_DESCRIPTOR whole = {d->Width, d->Height, 0, d->Format, d->NumChannels, 0};
  return cuArray3DCreate_v2(out, &whole);
}
API CUresult cuArrayDestroy(CUarray a) { R(pd_array(a) ? pd_array_drop(pd_array(a), CALLER) : INVALID_HANDLE); }
static Error bind(u64 *out, const CUDA_RESOURCE_DESC *r, const CUDA_TEXTURE_DESC *t) {
  static const CUDA_TEXTURE_DESC none;
  if (!out || !r) return INVALID_VALUE;
  // A texture of the driver's gives normalized floats unless it is told to read integers.
  int plain = !t || t->flags & CU_TRSF_READ_AS_INTEGER;
  if (!t) t = &none;
  Texture x = {.linear = t->filterMode == CU_TR_FILTER_MODE_LINEAR,
               .normalized = (t->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0};
  for (int i = 0; i < 3; i++) x.mode[i] = t->addressMode[i];
  if (r->resType == CU_RESOURCE_TYPE_ARRAY) {
    Array *a = pd_array(r->res.array.hArray);
    if (!a) return INVALID_HANDLE;
    x.address = a->address, x.width = a->width, x.height = a->height, x.depth = a->depth, x.flags = a->flags;
    x.pitch = a->width * a->texel, x.bits = a->bits[0], x.format = a->format;
    for (int i = 0; i < 4; i++) x.channels += a->bits[i] > 0;
  } else if (r->resType == CU_RESOURCE_TYPE_LINEAR || r->resType == CU_RESOURCE_TYPE_PITCH2D) {
    int bits, lies = r->resType == CU_RESOURCE_TYPE_LINEAR;
    int format = shape_of(lies ? r->res.linear.format : r->res.pitch2D.format, &bits);
    if (format < 0) return pd_missing("cuTexObjectCreate", "this channel format is not simulated");
    x.channels = lies ? r->res.linear.numChannels : r->res.pitch2D.numChannels, x.bits = bits, x.format = format;
    x.address = lies ? r->res.linear.devPtr : r->res.pitch2D.devPtr;
    x.width = lies ? r->res.linear.sizeInBytes * 8 / (bits * x.channels) : r->res.pitch2D.width;
    if (!lies) x.height = r->res.pitch2D.height, x.pitch = r->res.pitch2D.pitchInBytes;
  } else {
    return pd_missing("cuTexObjectCreate", "textures of mipmapped arrays: levels are not simulated");
  }
  x.as_float = !plain && x.format != 2 && x.bits < 32;
  return pd_bind(out, &x);
}
API CUresult cuTexObjectCreate(CUtexObject *o, const CUDA_RESOURCE_DESC *r, const CUDA_TEXTURE_DESC *t, const CUDA_RESOURCE_VIEW_DESC *v) {
  u64 handle = 0;
  Error error = bind(&handle, r, t);
  if (!error) *o = handle;
  R(error);
}
API CUresult cuTexObjectDestroy(CUtexObject o) { R(pd_unbind(o)); }
API CUresult cuSurfObjectCreate(CUsurfObject *o, const CUDA_RESOURCE_DESC *r) {
  u64 handle = 0;
  Error error = bind(&handle, r, 0);
  if (!error) *o = handle;
  R(error);
}
API CUresult cuSurfObjectDestroy(CUsurfObject o) { R(pd_unbind(o)); }
