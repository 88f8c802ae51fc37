// libcuda: the driver's interface, for programs that load modules themselves.
#define _GNU_SOURCE
#include "device.h"
#include "linked_image.h"
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
// cuda.h renames functions to their newest versions; each is exported under every name it has had.
#define R(error) return (CUresult)(error)
typedef CUdeviceptr P;

static char primary[DEVICES];
#define level (*pd_contexts())  // contexts on this thread's stack
static Error begun(void) { return pd_initialized() ? OK : NOT_INITIALIZED; }
static Error current(void) {
  if (!pd_initialized()) return NOT_INITIALIZED;
  return level ? OK : INVALID_CONTEXT;
}
#define CURRENT() do { Error e_ = current(); if (e_) R(e_); } while (0)
#define CONTEXT (context_of(pd_device()))
static CUcontext context_of(int device) { return (CUcontext)&primary[device]; }
static int device_of(CUcontext c) {  // -1: it is none
  return (char *)c >= primary && (char *)c < primary + pd_devices() ? (int)((char *)c - primary) : -1;
}
#define VALID_DEVICE(d) do { if (!pd_is_device(d)) R(pd_initialized() ? INVALID_DEVICE : NOT_INITIALIZED); } while (0)

API CUresult cuInit(unsigned flags) {
  if (flags) R(INVALID_VALUE);
  Error error = pd_start();
  if (!error) pd_initialize();
  R(error);
}
API CUresult cuDriverGetVersion(int *v) { *v = 13000; R(OK); }
API CUresult cuGetErrorName(CUresult e, const char **out) {
#define ERROR(number, name, driver, text) case number: *out = *driver ? driver : 0; break;
  switch ((int)e) {
#include "errors.h"
    default: *out = 0;
  }
#undef ERROR
  R(*out ? OK : INVALID_VALUE);
}
API CUresult cuGetErrorString(CUresult e, const char **out) {
#define ERROR(number, name, driver, text) case number: *out = *text ? text : 0; break;
  switch ((int)e) {
#include "errors.h"
    default: *out = 0;
  }
#undef ERROR
  R(*out ? OK : INVALID_VALUE);
}

// --- devices and contexts ------------------------------------------------------------------------

#include "device_properties.h"

API CUresult cuDeviceGetCount(int *n) { *n = pd_devices(); R(begun()); }
API CUresult cuDeviceGet(CUdevice *d, int ordinal) { VALID_DEVICE(ordinal); *d = ordinal; R(begun()); }
API CUresult cuDeviceGetName(char *name, int n, CUdevice d) { snprintf(name, n, "%s", pd_info()->name); R(begun()); }
API CUresult cuDeviceTotalMem_v2(size_t *n, CUdevice d) { *n = pd_info()->memory; R(begun()); }
API CUresult cuDeviceGetAttribute(int *v, CUdevice_attribute a, CUdevice d) { VALID_DEVICE(d); *v = attribute(a, d); R(begun()); }
API CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice d) { *major = pd_info()->major, *minor = pd_info()->minor; R(begun()); }
API CUresult cuDeviceGetUuid_v2(CUuuid *u, CUdevice d) { VALID_DEVICE(d); memcpy(u, "perflint-device", 16), ((char *)u)[15] = (char)d; R(begun()); }
#define BUS "0000:%02x:00.0"
API CUresult cuDeviceGetPCIBusId(char *s, int n, CUdevice d) { VALID_DEVICE(d); snprintf(s, n, BUS, d); R(begun()); }
API CUresult cuDeviceGetByPCIBusId(CUdevice *d, const char *s) { R(sscanf(s, BUS, d) == 1 && pd_is_device(*d) ? begun() : INVALID_DEVICE); }
API CUresult cuDeviceCanAccessPeer(int *can, CUdevice a, CUdevice b) { VALID_DEVICE(a); VALID_DEVICE(b); *can = pd_may_be_peers(a, b); R(begun()); }
API CUresult cuDeviceGetP2PAttribute(int *v, CUdevice_P2PAttribute a, CUdevice from, CUdevice to) { R(pd_peer_attribute(v, a, from, to)); }
API CUresult cuCtxEnablePeerAccess(CUcontext c, unsigned flags) { CURRENT(); R(flags ? INVALID_VALUE : pd_enable_peer(device_of(c), 1)); }
API CUresult cuCtxDisablePeerAccess(CUcontext c) { CURRENT(); R(pd_enable_peer(device_of(c), 0)); }
API CUresult cuCtxCreate_v2(CUcontext *c, unsigned flags, CUdevice d) {
  if (!pd_initialized()) R(NOT_INITIALIZED);
  VALID_DEVICE(d);
  *c = context_of(d);
  R(pd_push_context(d));
}
API CUresult cuCtxCreate_v4(CUcontext *c, CUctxCreateParams *p, unsigned flags, CUdevice d) { return cuCtxCreate_v2(c, flags, d); }
API CUresult cuCtxCreate_v3(CUcontext *c, CUexecAffinityParam *p, int n, unsigned flags, CUdevice d) { return cuCtxCreate_v2(c, flags, d); }
API CUresult cuCtxDestroy_v2(CUcontext c) { if (level) level--; R(begun()); }
API CUresult cuCtxSetCurrent(CUcontext c) {
  if (c && device_of(c) < 0) R(INVALID_CONTEXT);
  level = c != 0;
  if (c) pd_set_device(device_of(c));
  R(begun());
}
API CUresult cuCtxGetCurrent(CUcontext *c) { *c = level ? CONTEXT : 0; R(begun()); }
API CUresult cuCtxPushCurrent_v2(CUcontext c) { R(device_of(c) < 0 ? INVALID_CONTEXT : pd_push_context(device_of(c))); }
API CUresult cuCtxPopCurrent_v2(CUcontext *c) { if (!level) R(INVALID_CONTEXT); if (c) *c = CONTEXT; level--; R(OK); }
API CUresult cuCtxGetDevice(CUdevice *d) { *d = pd_device(); R(current()); }
API CUresult cuCtxGetDevice_v2(CUdevice *d, CUcontext c) {
  *d = c ? device_of(c) : pd_device();
  R(*d < 0 ? INVALID_CONTEXT : c ? begun() : current());
}
API CUresult cuCtxGetApiVersion(CUcontext c, unsigned *v) { *v = 13000; R(OK); }
API CUresult cuCtxGetFlags(unsigned *f) { *f = 0; R(current()); }
API CUresult cuCtxSynchronize(void) { CURRENT(); R(pd_sync()); }
API CUresult cuCtxSynchronize_v2(CUcontext c) { if (c && device_of(c) < 0) R(INVALID_CONTEXT); return cuCtxSynchronize(); }
API CUresult cuCtxSetLimit(CUlimit l, size_t n) { CURRENT(); R(l > 6 ? INVALID_VALUE : (pd_limit(l, n, 1), OK)); }
API CUresult cuCtxGetLimit(size_t *n, CUlimit l) { CURRENT(); if (l > 6) R(INVALID_VALUE); *n = pd_limit(l, 0, 0); R(OK); }
API CUresult cuCtxSetCacheConfig(CUfunc_cache c) { R(current()); }
API CUresult cuCtxGetCacheConfig(CUfunc_cache *c) { *c = CU_FUNC_CACHE_PREFER_NONE; R(current()); }
API CUresult cuCtxSetSharedMemConfig(CUsharedconfig c) { R(current()); }
API CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) { *least = 0, *greatest = -5; R(current()); }
API CUresult cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice d) { if (!pd_initialized()) R(NOT_INITIALIZED); VALID_DEVICE(d); *c = context_of(d); R(OK); }
API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice d) { R(begun()); }
API CUresult cuDevicePrimaryCtxReset_v2(CUdevice d) { pd_reset(); R(begun()); }
API CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice d, unsigned f) { R(begun()); }
API CUresult cuDevicePrimaryCtxGetState(CUdevice d, unsigned *f, int *active) { *f = 0, *active = pd_initialized(); R(begun()); }
API CUresult cuProfilerStart(void) { R(OK); }
API CUresult cuProfilerStop(void) { R(OK); }

// --- modules -------------------------------------------------------------------------------------

static Error load(CUmodule *out, const void *image, size_t size, const void *caller) {
  if (!out || !image) return INVALID_VALUE;
  Module *module = pd_new_module(image, size, caller);
  Error error = pd_load_module(module);
  if (!error) *out = (CUmodule)module;
  return error;
}
typedef struct { int magic, version; const void *data; void *linked; } Wrapper;
static const void *unwrapped(const void *image) {  // what nvcc's __fatbinwrap points to
  const Wrapper *w = image;
  return image && w->magic == 0x466243b1 ? w->data : image;
}
static CUresult load_data(CUmodule *m, const void *image, const void *caller) {
  CURRENT();
  image = unwrapped(image);
  R(load(m, image, image ? pd_image_size(image) : 0, caller));
}
API CUresult cuModuleLoadData(CUmodule *m, const void *image) { return load_data(m, image, CALLER); }
// The log buffers that a program may pass stay empty.
static void empty_logs(unsigned n, CUjit_option *o, void **v) {
  for (unsigned i = 0; i < n; i++) {
    if (o[i] == CU_JIT_INFO_LOG_BUFFER || o[i] == CU_JIT_ERROR_LOG_BUFFER) { if (v[i]) *(char *)v[i] = 0; }
    else if (o[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES || o[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) v[i] = 0;
    else if (o[i] == CU_JIT_WALL_TIME) v[i] = 0;
  }
}
API CUresult cuModuleLoadDataEx(CUmodule *m, const void *image, unsigned n, CUjit_option *o, void **v) {
  empty_logs(n, o, v);
  return load_data(m, image, CALLER);
}
API CUresult cuModuleLoadFatBinary(CUmodule *m, const void *image) { return load_data(m, image, CALLER); }
static char *whole(const char *name, size_t *size) {
  FILE *file = name ? fopen(name, "rb") : 0;
  if (!file) return 0;
  fseek(file, 0, SEEK_END);
  long n = ftell(file);
  rewind(file);
  char *code = calloc(1, n + 1);
  *size = fread(code, 1, n, file);
  fclose(file);
  return code;
}
API CUresult cuModuleLoad(CUmodule *m, const char *name) {
  CURRENT();
  size_t size;
  char *code = whole(name, &size);
  if (!code) R(FILE_NOT_FOUND);
  Error error = load(m, code, size, CALLER);
  free(code);
  R(error);
}

// A link: its parts together. What the program loads of it is taken apart by perflint.
typedef struct { Image image; } Link;
static Error link_of(CUlinkState state, Link **out) { *out = (Link *)state; return *out ? OK : INVALID_HANDLE; }
API CUresult cuLinkCreate_v2(unsigned n, CUjit_option *o, void **v, CUlinkState *out) {
  CURRENT();
  empty_logs(n, o, v);
  *out = calloc(1, sizeof(Link));
  R(OK);
}
API CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name, unsigned n, CUjit_option *o, void **v) {
  Link *l;
  if (link_of(state, &l)) R(INVALID_HANDLE);
  if (!data) R(INVALID_VALUE);
  image_add(&l->image, data, size);
  R(OK);
}
API CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned n, CUjit_option *o, void **v) {
  Link *l;
  if (link_of(state, &l)) R(INVALID_HANDLE);
  R(image_add_file(&l->image, path) ? OK : FILE_NOT_FOUND);
}
API CUresult cuLinkComplete(CUlinkState state, void **image, size_t *size) {
  Link *l;
  if (link_of(state, &l)) R(INVALID_HANDLE);
  *image = l->image.data;
  if (size) *size = l->image.size;
  R(*image ? OK : INVALID_IMAGE);
}
API CUresult cuLinkDestroy(CUlinkState state) { Link *l = (Link *)state; if (!l) R(INVALID_HANDLE); free(l->image.data); free(l); R(OK); }
API CUresult cuModuleUnload(CUmodule m) { pd_drop_module((Module *)m); R(current()); }
static Error function_of(void **out, void *module, const char *name) {
  if (!out || !name) return INVALID_VALUE;
  Function *f = pd_new_function(module, 0, name);
  Error error = pd_function_ready(f);
  if (!error) *out = f;
  return error == INVALID_FUNCTION ? NOT_FOUND : error;
}
static Error global_of(P *p, size_t *size, void *module, const char *name) {
  if (!name) return INVALID_VALUE;
  Variable *v = pd_new_variable(module, 0, name, 0, 0);
  Error error = pd_variable_ready(v);
  if (!error && p) *p = v->address[pd_device()];
  if (!error && size) *size = v->size;
  return error == INVALID_SYMBOL ? NOT_FOUND : error;
}
API CUresult cuModuleGetFunction(CUfunction *f, CUmodule m, const char *name) { CURRENT(); R(function_of((void **)f, m, name)); }
API CUresult cuModuleGetGlobal_v2(P *p, size_t *size, CUmodule m, const char *name) { CURRENT(); R(global_of(p, size, m, name)); }
API CUresult cuLibraryLoadData(CUlibrary *l, const void *image, CUjit_option *o, void **v, unsigned n, CUlibraryOption *lo, void **lv, unsigned ln) {
  if (!pd_initialized()) R(NOT_INITIALIZED);
  image = unwrapped(image);
  R(load((CUmodule *)l, image, image ? pd_image_size(image) : 0, CALLER));
}
API CUresult cuLibraryLoadFromFile(CUlibrary *l, const char *name, CUjit_option *o, void **v, unsigned n, CUlibraryOption *lo, void **lv, unsigned ln) {
  size_t size;
  char *code = whole(name, &size);
  if (!code) R(FILE_NOT_FOUND);
  Error error = load((CUmodule *)l, code, size, CALLER);
  free(code);
  R(error);
}
API CUresult cuLibraryUnload(CUlibrary l) { pd_drop_module((Module *)l); R(OK); }
API CUresult cuLibraryGetKernel(CUkernel *k, CUlibrary l, const char *name) { R(function_of((void **)k, l, name)); }
API CUresult cuLibraryGetModule(CUmodule *m, CUlibrary l) { *m = (CUmodule)l; R(OK); }
API CUresult cuLibraryGetGlobal(P *p, size_t *size, CUlibrary l, const char *name) { R(global_of(p, size, l, name)); }
API CUresult cuKernelGetFunction(CUfunction *f, CUkernel k) { *f = (CUfunction)k; R(OK); }
API CUresult cuFuncGetModule(CUmodule *m, CUfunction f) { *m = (CUmodule)((Function *)f)->module; R(OK); }
API CUresult cuFuncGetName(const char **name, CUfunction f) { *name = ((Function *)f)->name; R(OK); }
API CUresult cuFuncGetAttribute(int *v, CUfunction_attribute a, CUfunction handle) {
  Function *f = pd_function(handle);
  if (!f || !v) R(f ? INVALID_VALUE : INVALID_HANDLE);
  switch (a) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *v = f->info.max_threads; break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *v = f->info.shared; break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *v = f->info.constant; break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *v = f->info.local; break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *v = f->info.registers; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *v = f->info.arch; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *v = f->max_dynamic ? f->max_dynamic : pd_info()->shared_per_block - f->info.shared;
      break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *v = f->carveout; break;
    default: *v = 0;
  }
  R(OK);
}
API CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute a, int v) {
  Function *f = pd_function(handle);
  if (!f) R(INVALID_HANDLE);
  if (a == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
    if (v < 0 || v + f->info.shared > pd_info()->shared_optin) R(INVALID_VALUE);
    f->max_dynamic = v;
  }
  if (a == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) f->carveout = v;
  if (a == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) f->cluster_ok = v != 0;
  R(OK);
}
API CUresult cuFuncSetCacheConfig(CUfunction f, CUfunc_cache c) { R(pd_function(f) ? OK : INVALID_HANDLE); }
API CUresult cuFuncSetSharedMemConfig(CUfunction f, CUsharedconfig c) { R(pd_function(f) ? OK : INVALID_HANDLE); }
API CUresult cuKernelGetAttribute(int *v, CUfunction_attribute a, CUkernel k, CUdevice d) { return cuFuncGetAttribute(v, a, (CUfunction)k); }
API CUresult cuKernelSetAttribute(CUfunction_attribute a, int v, CUkernel k, CUdevice d) { return cuFuncSetAttribute((CUfunction)k, a, v); }
API CUresult cuFuncGetParamInfo(CUfunction handle, size_t i, size_t *offset, size_t *size) {
  Function *f = pd_function(handle);
  if (!f || i >= (size_t)f->info.parameters) R(f ? INVALID_VALUE : INVALID_HANDLE);
  *offset = f->parameters[i].offset;
  if (size) *size = f->parameters[i].size;
  R(OK);
}
API CUresult cuKernelGetParamInfo(CUkernel k, size_t i, size_t *offset, size_t *size) { return cuFuncGetParamInfo((CUfunction)k, i, offset, size); }

// --- launches ------------------------------------------------------------------------------------

static Error launch(void *handle, Shape shape, void *stream, void **arguments, void **extra) {
  Function *f = pd_function(handle);
  if (!f) return INVALID_HANDLE;
  Error error = pd_function_ready(f);
  if (!error) error = pd_check_launch(f, &shape);
  if (error) return error == INVALID_CONFIGURATION ? INVALID_VALUE : error;
  char packed[65536];
  Operation does = {.type = KERNEL};
  does.kernel.function = f, does.kernel.shape = shape, does.kernel.packed = packed;
  error = pd_pack(f, arguments, extra, packed);
  return error ? error : pd_submit(stream, &does);
}
API CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
    unsigned shared, CUstream s, void **arguments, void **extra) {
  CURRENT();
  R(launch(f, (Shape){{gx, gy, gz}, {bx, by, bz}, {1, 1, 1}, shared, 0}, s, arguments, extra));
}
API CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
    unsigned shared, CUstream s, void **arguments) {
  CURRENT();
  R(launch(f, (Shape){{gx, gy, gz}, {bx, by, bz}, {1, 1, 1}, shared, 1}, s, arguments, 0));
}
static Shape configured(const CUlaunchConfig *c) {
  Shape shape = {{c->gridDimX, c->gridDimY, c->gridDimZ}, {c->blockDimX, c->blockDimY, c->blockDimZ}, {1, 1, 1}, c->sharedMemBytes, 0};
  for (unsigned i = 0; i < c->numAttrs; i++) {
    const CUlaunchAttribute *each = &c->attrs[i];
    if (each->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) shape.cooperative = each->value.cooperative;
    if (each->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      shape.cluster[0] = each->value.clusterDim.x, shape.cluster[1] = each->value.clusterDim.y;
      shape.cluster[2] = each->value.clusterDim.z;
    }
  }
  return shape;
}
API CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **arguments, void **extra) {
  CURRENT();
  R(launch(f, configured(c), c->hStream, arguments, extra));
}
API CUresult cuLaunchHostFunc(CUstream s, CUhostFn f, void *data) {
  Operation does = {.type = HOST};
  does.host.function = f, does.host.data = data;
  R(f ? pd_submit(s, &does) : INVALID_VALUE);
}
API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, CUfunction f, int block, size_t dynamic) {
  if (!pd_function(f)) R(INVALID_HANDLE);
  *n = pd_occupancy(pd_function(f), block, dynamic);
  R(OK);
}
API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, CUfunction f, int block, size_t dynamic, unsigned flags) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(n, f, block, dynamic);
}
API CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction f, const CUlaunchConfig *c) {
  if (!pd_function(f)) R(INVALID_HANDLE);
  *size = pd_info()->major < 9 ? 1 : pd_largest_cluster(pd_function(f));
  R(OK);
}
API CUresult cuOccupancyMaxActiveClusters(int *n, CUfunction f, const CUlaunchConfig *c) {
  if (!pd_function(f)) R(INVALID_HANDLE);
  Shape shape = configured(c);
  R(pd_active_clusters(n, pd_function(f), &shape));
}
API CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction handle, CUoccupancyB2DSize size_of, size_t dynamic, int limit) {
  Function *f = pd_function(handle);
  if (!f) R(INVALID_HANDLE);
  int best = 0, most = limit && limit < f->info.max_threads ? limit : f->info.max_threads;
  for (int size = most / 32 * 32; size >= 32; size -= 32) {
    int blocks = pd_occupancy(f, size, size_of ? size_of(size) : dynamic);
    if (blocks * size > best) best = blocks * size, *block = size, *grid = blocks * pd_info()->sms;
  }
  R(best ? OK : INVALID_VALUE);
}

// --- streams and events --------------------------------------------------------------------------

API CUresult cuStreamCreateWithPriority(CUstream *s, unsigned flags, int priority) { CURRENT(); R(pd_stream_new((Stream **)s, flags, priority)); }
API CUresult cuStreamCreate(CUstream *s, unsigned flags) { return cuStreamCreateWithPriority(s, flags, 0); }
API CUresult cuStreamDestroy_v2(CUstream s) { R(pd_stream_drop(s)); }
API CUresult cuStreamSynchronize(CUstream s) { CURRENT(); R(pd_stream_sync(s)); }
API CUresult cuStreamQuery(CUstream s) { CURRENT(); R(pd_stream_sync(s)); }
API CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned flags) { R(pd_wait(s, pd_event(e))); }
API CUresult cuStreamGetPriority(CUstream s, int *p) { Error e; Stream *x = pd_stream(s, &e); if (x) *p = x->priority; R(e); }
API CUresult cuStreamGetFlags(CUstream s, unsigned *p) { Error e; Stream *x = pd_stream(s, &e); if (x) *p = x->flags; R(e); }
API CUresult cuStreamGetCtx(CUstream s, CUcontext *c) { Error e; Stream *x = pd_stream(s, &e); if (x) *c = context_of(pd_stream_device(x)); R(e); }
API CUresult cuStreamGetCtx_v2(CUstream s, CUcontext *c, CUgreenCtx *g) { if (g) *g = 0; return cuStreamGetCtx(s, c); }
API CUresult cuStreamAddCallback(CUstream s, CUstreamCallback f, void *data, unsigned flags) { f(s, (CUresult)pd_sticky(), data); R(OK); }
API CUresult cuStreamAttachMemAsync(CUstream s, P p, size_t n, unsigned flags) { R(OK); }
API CUresult cuStreamBeginCapture_v2(CUstream s, CUstreamCaptureMode mode) { R(pd_capture_begin(s, 0, 0, 0, mode)); }
API CUresult cuStreamEndCapture(CUstream s, CUgraph *g) { R(pd_capture_end(s, (Graph **)g)); }
API CUresult cuStreamIsCapturing(CUstream s, CUstreamCaptureStatus *c) { Error e; Stream *x = pd_stream(s, &e); if (x) *c = x->capture ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE; R(e); }
API CUresult cuEventCreate(CUevent *e, unsigned flags) { CURRENT(); R(pd_event_new((Event **)e, flags)); }
API CUresult cuEventRecord(CUevent e, CUstream s) { R(pd_record(pd_event(e), s)); }
API CUresult cuEventRecordWithFlags(CUevent e, CUstream s, unsigned flags) { R(pd_record(pd_event(e), s)); }
API CUresult cuEventQuery(CUevent e) { R(pd_event(e) ? pd_sync() : INVALID_HANDLE); }
API CUresult cuEventSynchronize(CUevent e) { R(pd_event(e) ? pd_sync() : INVALID_HANDLE); }
API CUresult cuEventDestroy_v2(CUevent e) { Event *event = pd_event(e); if (!event) R(INVALID_HANDLE); event->magic = 0; free(event->nodes); free(event); R(OK); }
API CUresult cuEventElapsedTime_v2(float *ms, CUevent a, CUevent b) { R(pd_elapsed(ms, pd_event(a), pd_event(b))); }
API CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph g, unsigned long long flags) {
  if (!pd_graph(g)) R(INVALID_VALUE);
  *out = (CUgraphExec)pd_graph_clone(pd_graph(g));
  R(OK);
}
API CUresult cuGraphLaunch(CUgraphExec g, CUstream s) {
  if (!pd_graph(g)) R(INVALID_VALUE);
  Operation does = {.type = SUBGRAPH};
  does.graph = pd_graph(g);
  R(pd_submit(s, &does));
}
API CUresult cuGraphExecDestroy(CUgraphExec g) { if (!pd_graph(g)) R(INVALID_VALUE); pd_graph_drop(pd_graph(g)); R(OK); }
API CUresult cuGraphDestroy(CUgraph g) { if (!pd_graph(g)) R(INVALID_VALUE); pd_graph_drop(pd_graph(g)); R(OK); }

// --- entry points --------------------------------------------------------------------------------

// `versions`: each function's name, CUDA's version that brought a form of it, and the form's symbol,
// oldest first; written from cudaTypedefs.h when this is compiled.
typedef struct { const char *name; int since; const char *symbol; } Version;
static const Version versions[] = {
#include "versions.h"
};

API CUresult cuGetProcAddress_v2(const char *name, void **out, int version, cuuint64_t flags, CUdriverProcAddressQueryResult *r) {
  void *self = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  int known = 0;
  *out = 0;
  for (size_t i = 0; self && i < sizeof versions / sizeof *versions; i++) {
    if (strcmp(versions[i].name, name)) continue;
    void *form = dlsym(self, versions[i].symbol);
    known = 1;
    if (form && versions[i].since <= version) *out = form;
  }
  if (self && !known) *out = dlsym(self, name);
  if (r) *r = *out ? CU_GET_PROC_ADDRESS_SUCCESS
                   : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  R(*out || r ? OK : NOT_FOUND);
}
API CUresult proc_address_11(const char *name, void **out, int version, cuuint64_t flags) __asm__("cuGetProcAddress");
API CUresult proc_address_11(const char *name, void **out, int version, cuuint64_t flags) { return cuGetProcAddress_v2(name, out, version, flags, 0); }
// Only NVIDIA's own runtime asks for these: linked into a program or a library, or found elsewhere.
API CUresult cuGetExportTable(const void **out, const CUuuid *which) {
  static int told;
  if (!told) pd_other_runtime(CALLER);
  told = 1;
  R(NOT_FOUND);
}
API CUresult elapsed_12(float *ms, CUevent a, CUevent b) __asm__("cuEventElapsedTime");
API CUresult elapsed_12(float *ms, CUevent a, CUevent b) { return cuEventElapsedTime_v2(ms, a, b); }
