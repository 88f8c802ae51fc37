// libnvJitLink: links device code as the driver here wants it, which takes PTX and no machine code.
// The parts are handed on as they are; those for link-time optimisation go through NVIDIA's own
// library first, which makes PTX of them.
#define _GNU_SOURCE
#include "linked_image.h"
#include <dlfcn.h>

#define API __attribute__((visibility("default")))
enum { SUCCESS = 0, UNRECOGNIZED = 1, MISSING_ARCH = 2, INVALID_INPUT = 3, INTERNAL = 6 };
enum { PTX = 2, LTOIR = 3 };
typedef int (*Any)(long, long, long, long, long);

typedef struct { Image image, ptx; char **options; unsigned count; long optimiser; char log[1024]; } Linker;

static Any theirs(const char *name) {
  static void *library;
  const char *path = getenv("PERFLINT_RUN_NVJITLINK");
  const char *slash = path ? strrchr(path, '/') : 0;
  char other[4096];
  if (!library && slash) {
    snprintf(other, sizeof other, "%.*s/./%s", (int)(slash - path), path, slash + 1);
    library = dlopen(other, RTLD_NOW | RTLD_LOCAL);
  }
  return library ? (Any)dlsym(library, name) : 0;
}

API int nvJitLinkVersion(unsigned *major, unsigned *minor) { *major = NVJITLINK, *minor = 0; return SUCCESS; }

API int nvJitLinkCreate(Linker **out, uint32_t count, const char *const *options) {
  Linker *l = calloc(1, sizeof *l);
  l->options = calloc(count + 2, sizeof *l->options);
  int arch = 0;
  for (uint32_t i = 0; i < count; i++) {
    arch |= !strncmp(options[i], "-arch", 5);
    if (strcmp(options[i], "-ptx") && strcmp(options[i], "-lto")) l->options[l->count++] = strdup(options[i]);
  }
  *out = l;
  return arch ? SUCCESS : MISSING_ARCH;
}
API int nvJitLinkDestroy(Linker **linker) {
  Linker *l = *linker;
  Any destroy = l->optimiser ? theirs("nvJitLinkDestroy") : 0;
  if (destroy) destroy((long)&l->optimiser, 0, 0, 0, 0);
  for (unsigned i = 0; i < l->count; i++) free(l->options[i]);
  free(l->options), free(l->image.data), free(l->ptx.data), free(l);
  *linker = 0;
  return SUCCESS;
}

static int optimised(Linker *l, int kind, const void *data, size_t size, const char *name) {
  Any create = theirs("nvJitLinkCreate"), add = theirs("nvJitLinkAddData");
  if (!create || !add) {
    snprintf(l->log, sizeof l->log, "perflint: link-time optimisation needs libnvJitLink: "
             "pip install nvidia-nvjitlink beside perflint");
    return INTERNAL;
  }
  if (!l->optimiser) {
    char *options[l->count + 2];
    memcpy(options, l->options, l->count * sizeof *options);
    options[l->count] = "-lto", options[l->count + 1] = "-ptx";
    int error = create((long)&l->optimiser, l->count + 2, (long)options, 0, 0);
    if (error) return error;
  }
  return add(l->optimiser, kind, (long)data, size, (long)name);
}
API int nvJitLinkAddData(Linker *l, int kind, const void *data, size_t size, const char *name) {
  if (kind == LTOIR) return optimised(l, kind, data, size, name);
  image_add(&l->image, data, size);
  return SUCCESS;
}
API int nvJitLinkAddFile(Linker *l, int kind, const char *name) {
  if (kind == LTOIR) {
    Image file = {0};
    if (!image_add_file(&file, name)) return INVALID_INPUT;
    size_t before = sizeof(LinkedHead) + 8;
    int error = optimised(l, kind, file.data + before, file.size - before, name);
    free(file.data);
    return error;
  }
  return image_add_file(&l->image, name) ? SUCCESS : INVALID_INPUT;
}
API int nvJitLinkComplete(Linker *l) {
  if (!l->optimiser) return l->image.size ? SUCCESS : INVALID_INPUT;
  Any complete = theirs("nvJitLinkComplete"), sized = theirs("nvJitLinkGetLinkedPtxSize"), get = theirs("nvJitLinkGetLinkedPtx");
  int error = complete(l->optimiser, 0, 0, 0, 0);
  size_t size = 0;
  if (!error) error = sized(l->optimiser, (long)&size, 0, 0, 0);
  if (!error) {
    l->ptx.data = malloc(size), l->ptx.size = size;
    error = get(l->optimiser, (long)l->ptx.data, 0, 0, 0);
  }
  if (!error) image_add(&l->image, l->ptx.data, size);
  return error;
}

API int nvJitLinkGetLinkedCubinSize(Linker *l, size_t *size) { *size = l->image.size; return SUCCESS; }
API int nvJitLinkGetLinkedCubin(Linker *l, void *to) { memcpy(to, l->image.data, l->image.size); return SUCCESS; }
API int nvJitLinkGetLinkedPtxSize(Linker *l, size_t *size) { *size = l->ptx.size; return l->ptx.size ? SUCCESS : INVALID_INPUT; }
API int nvJitLinkGetLinkedPtx(Linker *l, char *to) { memcpy(to, l->ptx.data, l->ptx.size); return SUCCESS; }
API int nvJitLinkGetLinkedLTOIRSize(Linker *l, size_t *size) { *size = 0; return INVALID_INPUT; }
API int nvJitLinkGetLinkedLTOIR(Linker *l, void *to) { return INVALID_INPUT; }

static int log_of(Linker *l, const char *function, long to) {
  Any real = l->optimiser && !*l->log ? theirs(function) : 0;
  if (real) return real(l->optimiser, to, 0, 0, 0);
  return -1;
}
API int nvJitLinkGetErrorLogSize(Linker *l, size_t *size) {
  int error = log_of(l, "nvJitLinkGetErrorLogSize", (long)size);
  if (error >= 0) return error;
  *size = *l->log ? strlen(l->log) + 1 : 0;
  return SUCCESS;
}
API int nvJitLinkGetErrorLog(Linker *l, char *to) {
  int error = log_of(l, "nvJitLinkGetErrorLog", (long)to);
  if (error < 0) strcpy(to, l->log);
  return error < 0 ? SUCCESS : error;
}
API int nvJitLinkGetInfoLogSize(Linker *l, size_t *size) { *size = 0; return SUCCESS; }
API int nvJitLinkGetInfoLog(Linker *l, char *to) { *to = 0; return SUCCESS; }
