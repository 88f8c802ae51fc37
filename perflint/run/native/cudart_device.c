// The device and its attributes, errors, entry points.
#define _GNU_SOURCE
#include "cudart.h"
#include <dlfcn.h>
#include <stdio.h>

static __thread Error last;

E rt(Error error) {
  if (error) last = error;
  else if (!*pd_contexts()) pd_initialize(), *pd_contexts() = 1;
  return (E)error;
}
E rt_started(void) { return (E)pd_start(); }
API E cudaGetLastError(void) {
  Error error = last;
  last = pd_sticky();
  return (E)error;
}
API E cudaPeekAtLastError(void) { return (E)last; }

// --- the devices ---------------------------------------------------------------------------------

API E cudaGetDeviceCount(int *n) {
  if (!n) return rt(INVALID_VALUE);
  Error error = pd_start();
  *n = error == NO_DEVICE ? 0 : pd_devices();
  return rt(error);
}
static E of(int d, Error error) { return rt(!pd_is_device(d) ? INVALID_DEVICE : error ? error : pd_start()); }
API E cudaGetDevice(int *d) { if (!d) return rt(INVALID_VALUE); *d = pd_device(); return of(0, OK); }
API E cudaSetDevice(int d) {
  E error = of(d, OK);
  if (!error) pd_set_device(d);
  return error;
}
API E cudaInitDevice(int d, unsigned flags, unsigned more) { return of(d, OK); }
API E cudaSetValidDevices(int *list, int n) { return rt(OK); }
API E cudaChooseDevice(int *d, const struct cudaDeviceProp *p) { *d = 0; return of(0, OK); }
static unsigned device_flags;
API E cudaSetDeviceFlags(unsigned flags) { device_flags = flags; return rt(OK); }
API E cudaGetDeviceFlags(unsigned *flags) { *flags = device_flags | cudaDeviceMapHost; return rt(OK); }
API E cudaDeviceSynchronize(void) {
  Error error = pd_start();
  if (!error && pd_capturing()) error = CAPTURE_UNSUPPORTED;
  return rt(error ? error : pd_sync());
}
API E cudaDeviceReset(void) { pd_reset(); last = OK; return cudaSuccess; }
API E cudaDeviceSetLimit(enum cudaLimit l, size_t n) { return rt(l > 6 ? INVALID_VALUE : (pd_limit(l, n, 1), OK)); }
API E cudaDeviceGetLimit(size_t *n, enum cudaLimit l) {
  if (!n || l > 6) return rt(INVALID_VALUE);
  *n = pd_limit(l, 0, 0);
  return of(0, OK);
}
static enum cudaFuncCache cache_config;
static enum cudaSharedMemConfig bank_config = cudaSharedMemBankSizeFourByte;
API E cudaDeviceSetCacheConfig(enum cudaFuncCache c) { cache_config = c; return rt(OK); }
API E cudaDeviceGetCacheConfig(enum cudaFuncCache *c) { *c = cache_config; return rt(OK); }
API E cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig c) { bank_config = c; return rt(OK); }
API E cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *c) { *c = bank_config; return rt(OK); }
API E cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return rt(OK);
}
API E cudaCtxResetPersistingL2Cache(void) { return rt(OK); }
API E cudaDeviceCanAccessPeer(int *can, int a, int b) {
  if (!can) return rt(INVALID_VALUE);
  *can = pd_may_be_peers(a, b);
  return rt(pd_is_device(a) && pd_is_device(b) ? OK : INVALID_DEVICE);
}
API E cudaDeviceEnablePeerAccess(int d, unsigned flags) { return rt(flags ? INVALID_VALUE : pd_enable_peer(d, 1)); }
API E cudaDeviceDisablePeerAccess(int d) { return rt(pd_enable_peer(d, 0)); }
#define BUS "0000:%02x:00.0"
API E cudaDeviceGetPCIBusId(char *s, int n, int d) {
  E error = of(d, s ? OK : INVALID_VALUE);
  if (!error) snprintf(s, n, BUS, d);
  return error;
}
API E cudaDeviceGetByPCIBusId(int *d, const char *s) { return rt(d && s && sscanf(s, BUS, d) == 1 && pd_is_device(*d) ? OK : INVALID_VALUE); }
API E cudaRuntimeGetVersion(int *v) { *v = CUDART == 12 ? 12090 : 13000; return rt(OK); }
API E cudaDriverGetVersion(int *v) { *v = 13000; return rt(OK); }
API E cudaProfilerStart(void) { return rt(OK); }
API E cudaProfilerStop(void) { return rt(OK); }
#if CUDART == 12
API E cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
API E cudaThreadExit(void) { return cudaDeviceReset(); }
API E cudaThreadSetLimit(enum cudaLimit l, size_t n) { return cudaDeviceSetLimit(l, n); }
API E cudaThreadGetLimit(size_t *n, enum cudaLimit l) { return cudaDeviceGetLimit(n, l); }
API E cudaThreadGetCacheConfig(enum cudaFuncCache *c) { return cudaDeviceGetCacheConfig(c); }
API E cudaThreadSetCacheConfig(enum cudaFuncCache c) { return cudaDeviceSetCacheConfig(c); }
#endif

// --- attributes ----------------------------------------------------------------------------------

#include "device_properties.h"

#if CUDART == 12
API E properties12(struct Properties12 *p, int d) NAMED("cudaGetDeviceProperties_v2");
API E properties12(struct Properties12 *p, int d) {
  E e = of(d, p ? OK : INVALID_VALUE);
  if (e) return e;
  fill_properties(p, d);
  p->clockRate = 1410000, p->memoryClockRate = 1215000, p->deviceOverlap = 1;
  return e;
}
// The first form, without CUDA 12's new fields.
API E properties11(struct Properties12 *p, int d) NAMED("cudaGetDeviceProperties");
API E properties11(struct Properties12 *p, int d) {
  struct Properties12 whole;
  E e = properties12(&whole, d);
  if (!e) memcpy(p, &whole, offsetof(struct Properties12, hostRegisterSupported));
  return e;
}
#else
API E cudaGetDeviceProperties(struct cudaDeviceProp *p, int d) {
  E e = of(d, p ? OK : INVALID_VALUE);
  if (!e) fill_properties(p, d);
  return e;
}
#endif

API E cudaDeviceGetAttribute(int *v, enum cudaDeviceAttr a, int d) {
  E e = of(d, v ? OK : INVALID_VALUE);
  if (!e) *v = attribute(a, d);
  return e;
}
API E cudaDeviceGetP2PAttribute(int *v, enum cudaDeviceP2PAttr a, int from, int to) { return rt(pd_peer_attribute(v, a, from, to)); }

// --- entry points --------------------------------------------------------------------------------

typedef int (*Lookup)(const char *, void **, int, unsigned long long, int *);
static E entry(const char *name, void **out, int version, enum cudaDriverEntryPointQueryResult *result) {
  void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_GLOBAL);
  Lookup lookup = library ? (Lookup)dlsym(library, "cuGetProcAddress_v2") : 0;
  int found = cudaDriverEntryPointSymbolNotFound;  // the driver's numbers are the same
  *out = 0;
  if (lookup) lookup(name, out, version, 0, &found);
  if (result) *result = (enum cudaDriverEntryPointQueryResult)found;
  return rt(*out || result ? OK : NOT_FOUND);
}
API E cudaGetDriverEntryPoint(const char *name, void **out, unsigned long long flags, enum cudaDriverEntryPointQueryResult *r) { return entry(name, out, 1000 * CUDART, r); }
API E cudaGetDriverEntryPointByVersion(const char *name, void **out, unsigned v, unsigned long long flags, enum cudaDriverEntryPointQueryResult *r) { return entry(name, out, v, r); }

// --- errors by name ------------------------------------------------------------------------------

#define ERROR(number, name, driver, text) case number: return *name ? name : unknown;
API const char *cudaGetErrorName(E e) {
  static const char *unknown = "unrecognized error code";
  switch ((int)e) {
#include "errors.h"
    default: return unknown;
  }
}
#undef ERROR
#define ERROR(number, name, driver, text) case number: return *text ? text : unknown;
API const char *cudaGetErrorString(E e) {
  static const char *unknown = "unrecognized error code";
  switch ((int)e) {
#include "errors.h"
    default: return unknown;
  }
}
