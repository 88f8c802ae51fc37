// What nvcc's code registers, launches, functions' attributes, occupancy, libraries.
#include "cudart.h"
#include <stdio.h>

typedef struct { int magic, version; const void *data; void *linked; } Wrapper;

// Relocatable device code (-rdc=true): the objects' fat binaries one behind the other.
static Module *linked(void *const *parts) {
  size_t size = 0;
  for (void *const *part = parts; *part; part++) size += pd_image_size(*part);
  char *all = malloc(size + 1), *at = all;
  for (void *const *part = parts; *part; part++) {
    memcpy(at, *part, pd_image_size(*part));
    at += pd_image_size(*part);
  }
  return pd_new_module(all, size, *parts);
}
API void **__cudaRegisterFatBinary(void *w) {
  const Wrapper *wrapper = w;
  if (wrapper->version == 2 && wrapper->linked) return (void **)linked(wrapper->linked);
  Module *module = pd_new_module(wrapper->data, pd_image_size(wrapper->data), wrapper);
  return (void **)module;
}
API void __cudaRegisterFatBinaryEnd(void **module) {}
API void __cudaUnregisterFatBinary(void **module) {}
API char __cudaInitModule(void **module) { return pd_load_module((Module *)module) == OK; }
API void __cudaRegisterFunction(void **module, const char *host, char *d, const char *name, int limit,
    uint3 *t, uint3 *b, dim3 *bd, dim3 *gd, int *w) { pd_new_function((Module *)module, host, name); }
API void __cudaRegisterVar(void **module, char *host, char *d, const char *name, int ext, size_t size,
    int constant, int global) { pd_new_variable((Module *)module, host, name, size, 0); }
API void __cudaRegisterHostVar(void **module, char *d, char *host, size_t size) {}
API void __cudaRegisterManagedVar(void **module, void **host, char *d, const char *name, int ext,
    size_t size, int constant, int global) {
  u64 address = 0;
  if (pd_allocate(&address, size, MANAGED)) return;
  *host = (void *)address;
  Variable *v = pd_new_variable((Module *)module, host, name, size, host);
  pd_variable_ready(v);
}

// --- launches ------------------------------------------------------------------------------------

static __thread struct { dim3 grid, block; size_t shared; void *stream; } pushed[16];
static __thread int depth;
API unsigned __cudaPushCallConfiguration(dim3 g, dim3 b, size_t shared, struct CUstream_st *stream) {
  if (depth == 16) return 1;
  pushed[depth].grid = g, pushed[depth].block = b, pushed[depth].shared = shared, pushed[depth++].stream = stream;
  return 0;
}
API E __cudaPopCallConfiguration(dim3 *g, dim3 *b, size_t *shared, void *stream) {
  if (!depth) return rt(INVALID_CONFIGURATION);
  depth--;
  *g = pushed[depth].grid, *b = pushed[depth].block, *shared = pushed[depth].shared;
  *(void **)stream = pushed[depth].stream;
  return cudaSuccess;
}

static Shape shape_of(dim3 g, dim3 b, size_t shared, int cooperative) {
  return (Shape){{g.x, g.y, g.z}, {b.x, b.y, b.z}, {1, 1, 1}, (u32)shared, cooperative};
}

Error rt_launch(const void *host, const Shape *shape, void **arguments, void *stream) {
  Function *f = pd_function(host);
  if (!f) return INVALID_FUNCTION;
  Error error = pd_launchable(f);
  if (!error) error = pd_check_launch(f, shape);
  if (error) return error;
  char packed[KERNEL_BYTES];
  Operation does = {.type = KERNEL};
  does.kernel.function = f, does.kernel.shape = *shape, does.kernel.packed = packed;
  error = pd_pack(f, arguments, 0, packed);
  return error ? error : pd_submit(stream, &does);
}
static E launch(const void *f, dim3 g, dim3 b, void **a, size_t n, void *stream, int cooperative) {
  Shape shape = shape_of(g, b, n, cooperative);
  return rt(rt_launch(f, &shape, a, stream));
}
API E cudaLaunchKernel(const void *f, dim3 g, dim3 b, void **a, size_t n, cudaStream_t s) { return launch(f, g, b, a, n, s, 0); }
API E __cudaLaunchKernel(cudaKernel_t f, dim3 g, dim3 b, void **a, size_t n, cudaStream_t s) { return launch(f, g, b, a, n, s, 0); }
API E cudaLaunchCooperativeKernel(const void *f, dim3 g, dim3 b, void **a, size_t n, cudaStream_t s) { return launch(f, g, b, a, n, s, 1); }
static Shape configured(const cudaLaunchConfig_t *c) {
  Shape shape = shape_of(c->gridDim, c->blockDim, c->dynamicSmemBytes, 0);
  for (unsigned i = 0; i < c->numAttrs; i++) {
    const cudaLaunchAttribute *each = &c->attrs[i];
    if (each->id == cudaLaunchAttributeCooperative) shape.cooperative = each->val.cooperative;
    if (each->id == cudaLaunchAttributeClusterDimension) {
      shape.cluster[0] = each->val.clusterDim.x, shape.cluster[1] = each->val.clusterDim.y;
      shape.cluster[2] = each->val.clusterDim.z;
    }
  }
  return shape;
}
API E cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *f, void **a) {
  if (!c) return rt(INVALID_VALUE);
  Shape shape = configured(c);
  return rt(rt_launch(f, &shape, a, c->stream));
}
#if CUDART == 12
API E cudaLaunchCooperativeKernelMultiDevice(void *list, unsigned n, unsigned flags) {
  return rt(pd_missing("cudaLaunchCooperativeKernelMultiDevice", "devices work one after the other; their kernels cannot wait for each other"));
}
#endif
Error rt_kernel(const struct cudaKernelNodeParams *p, Operation *out) {
  if (!p) return INVALID_VALUE;
  Function *f = pd_function(p->func);
  if (!f) return INVALID_FUNCTION;
  Error error = pd_launchable(f);
  Shape shape = shape_of(p->gridDim, p->blockDim, p->sharedMemBytes, 0);
  if (!error) error = pd_check_launch(f, &shape);
  if (error) return error;
  *out = (Operation){.type = KERNEL};
  out->kernel.function = f, out->kernel.shape = shape;
  out->kernel.packed = malloc(f->info.bytes + 1);
  if (!p->kernelParams && !p->extra && f->info.parameters) return INVALID_VALUE;
  return pd_pack(f, p->kernelParams, p->extra, out->kernel.packed);
}

// --- functions -----------------------------------------------------------------------------------

static Error ready(const void *host, Function **f) {
  *f = pd_function(host);
  return *f ? pd_function_ready(*f) : INVALID_FUNCTION;
}
API E cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *host) {
  Function *f;
  Error error = a ? ready(host, &f) : INVALID_VALUE;
  if (error) return rt(error);
  memset(a, 0, sizeof *a);
  a->sharedSizeBytes = f->info.shared, a->constSizeBytes = f->info.constant, a->localSizeBytes = f->info.local;
  a->maxThreadsPerBlock = f->info.max_threads, a->numRegs = f->info.registers;
  a->ptxVersion = f->info.arch, a->binaryVersion = pd_info()->major * 10 + pd_info()->minor;
  a->maxDynamicSharedSizeBytes = f->max_dynamic ? f->max_dynamic : pd_info()->shared_per_block - f->info.shared;
  a->preferredShmemCarveout = f->carveout;
  return rt(OK);
}
API E cudaFuncSetAttribute(const void *host, enum cudaFuncAttribute a, int v) {
  Function *f;
  Error error = ready(host, &f);
  if (!error && a == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    if (v < 0 || v + f->info.shared > pd_info()->shared_optin) error = INVALID_VALUE;
    else f->max_dynamic = v;
  } else if (!error && a == cudaFuncAttributePreferredSharedMemoryCarveout) {
    if (v < -1 || v > 100) error = INVALID_VALUE;
    else f->carveout = v;
  } else if (!error && a == cudaFuncAttributeNonPortableClusterSizeAllowed) {
    f->cluster_ok = v != 0;
  }
  return rt(error);
}
API E cudaFuncSetCacheConfig(const void *host, enum cudaFuncCache c) { Function *f; return rt(ready(host, &f)); }
API E cudaFuncSetSharedMemConfig(const void *host, enum cudaSharedMemConfig c) { Function *f; return rt(ready(host, &f)); }
API E cudaFuncGetName(const char **name, const void *host) {
  Function *f = pd_function(host);
  if (!f || !name) return rt(f ? INVALID_VALUE : INVALID_FUNCTION);
  *name = f->name;
  return rt(OK);
}
API E cudaFuncGetParamInfo(const void *host, size_t i, size_t *offset, size_t *size) {
  Function *f;
  Error error = ready(host, &f);
  if (!error && (!offset || i >= (size_t)f->info.parameters)) error = INVALID_VALUE;
  if (error) return rt(error);
  *offset = f->parameters[i].offset;
  if (size) *size = f->parameters[i].size;
  return rt(OK);
}
API E __cudaGetKernel(cudaKernel_t *k, const void *host) {
  Function *f = pd_function(host);
  if (f) *k = (cudaKernel_t)f;
  return rt(f ? OK : INVALID_FUNCTION);
}
API E cudaGetKernel(cudaKernel_t *k, const void *host) { return __cudaGetKernel(k, host); }
API E cudaGetFuncBySymbol(cudaFunction_t *k, const void *host) { return __cudaGetKernel((cudaKernel_t *)k, host); }

// --- occupancy -----------------------------------------------------------------------------------

API E cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *host, int block, size_t dynamic) {
  Function *f;
  Error error = n ? ready(host, &f) : INVALID_VALUE;
  if (!error) *n = pd_occupancy(f, block, dynamic);
  return rt(error);
}
API E cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, const void *h, int b, size_t d, unsigned fl) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(n, h, b, d);
}
API E cudaOccupancyAvailableDynamicSMemPerBlock(size_t *size, const void *host, int blocks, int block) {
  Function *f;
  Error error = size && blocks > 0 ? ready(host, &f) : INVALID_VALUE;
  if (error) return rt(error);
  size_t low = 0, high = pd_info()->shared_optin;
  while (low < high) {  // the most with which so many blocks still fit
    size_t middle = (low + high + 1) / 2;
    if (pd_occupancy(f, block, middle) >= blocks) low = middle;
    else high = middle - 1;
  }
  *size = low;
  return rt(OK);
}

API E cudaOccupancyMaxPotentialClusterSize(int *size, const void *host, const cudaLaunchConfig_t *c) {
  Function *f;
  Error error = size && c ? ready(host, &f) : INVALID_VALUE;
  if (!error) *size = pd_info()->major < 9 ? 1 : pd_largest_cluster(f);
  return rt(error);
}
API E cudaOccupancyMaxActiveClusters(int *n, const void *host, const cudaLaunchConfig_t *c) {
  Function *f;
  Error error = n && c ? ready(host, &f) : INVALID_VALUE;
  Shape shape = error ? (Shape){{0}} : configured(c);
  return rt(error ? error : pd_active_clusters(n, f, &shape));
}

// --- libraries -----------------------------------------------------------------------------------

API E cudaLibraryLoadData(cudaLibrary_t *out, const void *code, enum cudaJitOption *o, void **ov, unsigned n,
    enum cudaLibraryOption *lo, void **lv, unsigned ln) {
  if (!out || !code) return rt(INVALID_VALUE);
  Module *module = pd_new_module(code, pd_image_size(code), CALLER);
  Error error = pd_load_module(module);
  if (!error) *out = (cudaLibrary_t)module;
  return rt(error);
}
API E cudaLibraryLoadFromFile(cudaLibrary_t *out, const char *name, enum cudaJitOption *o, void **ov, unsigned n,
    enum cudaLibraryOption *lo, void **lv, unsigned ln) {
  FILE *file = name ? fopen(name, "rb") : 0;
  if (!file) return rt(name ? FILE_NOT_FOUND : INVALID_VALUE);
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  char *code = calloc(1, size + 1);
  size_t got = fread(code, 1, size, file);
  fclose(file);
  Module *module = pd_new_module(code, got, CALLER);
  Error error = pd_load_module(module);
  if (!error) *out = (cudaLibrary_t)module;
  free(code);
  return rt(error);
}
API E cudaLibraryUnload(cudaLibrary_t m) { pd_drop_module((Module *)m); return rt(OK); }
API E cudaLibraryGetKernel(cudaKernel_t *k, cudaLibrary_t m, const char *name) {
  if (!k || !name) return rt(INVALID_VALUE);
  Function *f = pd_new_function((Module *)m, 0, name);
  Error error = pd_function_ready(f);
  if (!error) *k = (cudaKernel_t)f;
  return rt(error == INVALID_FUNCTION ? NOT_FOUND : error);
}
static E global(void **p, size_t *size, void *module, const char *name) {
  if (!name) return rt(INVALID_VALUE);
  Variable *v = pd_new_variable(module, 0, name, 0, 0);
  Error error = pd_variable_ready(v);
  if (!error && p) *p = (void *)v->address[pd_device()];
  if (!error && size) *size = v->size;
  return rt(error == INVALID_SYMBOL ? NOT_FOUND : error);
}
API E cudaLibraryGetGlobal(void **p, size_t *size, cudaLibrary_t m, const char *name) { return global(p, size, m, name); }
API E cudaLibraryGetManaged(void **p, size_t *size, cudaLibrary_t m, const char *name) { return global(p, size, m, name); }
API E cudaKernelSetAttributeForDevice(cudaKernel_t k, enum cudaFuncAttribute a, int v, int device) {
  return !pd_is_device(device) ? rt(INVALID_DEVICE) : cudaFuncSetAttribute(k, a, v);
}
