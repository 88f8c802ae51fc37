// libnvrtc: NVIDIA's own compiler, which perflint brings, asked for PTX where a program asks for
// machine code. What a program takes for a cubin then is PTX, and can be simulated. Line numbers are
// added, which cost no instruction.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
enum { SUCCESS = 0, INTERNAL_ERROR = 11 };
typedef long (*Any)(long, long, long, long, long, long);

static void *compiler;
static void open_compiler(void) {
  const char *path = getenv("PERFLINT_RUN_NVRTC");
  const char *slash = path ? strrchr(path, '/') : 0;
  char other[4096];
  if (!slash) return;
  // Spelt in another way: under its own name the linker would give us ourselves.
  snprintf(other, sizeof other, "%.*s/./%s", (int)(slash - path), path, slash + 1);
  compiler = dlopen(other, RTLD_NOW | RTLD_LOCAL);
  if (!compiler) fprintf(stderr, "perflint: no NVRTC: %s\n", dlerror());
}
static Any theirs(const char *name) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_compiler);
  return compiler ? (Any)dlsym(compiler, name) : 0;
}

// Arguments of NVRTC's functions are pointers and integers, at most six.
#define FORWARD(name) \
  API long name(long a, long b, long c, long d, long e, long f) { \
    Any real = theirs(#name); \
    return real ? real(a, b, c, d, e, f) : INTERNAL_ERROR; \
  }
FORWARD(nvrtcVersion)
FORWARD(nvrtcGetNumSupportedArchs)
FORWARD(nvrtcGetSupportedArchs)
FORWARD(nvrtcCreateProgram)
FORWARD(nvrtcGetPTXSize)
FORWARD(nvrtcGetPTX)
FORWARD(nvrtcGetLTOIRSize)
FORWARD(nvrtcGetLTOIR)
FORWARD(nvrtcGetNVVMSize)
FORWARD(nvrtcGetNVVM)
FORWARD(nvrtcGetOptiXIRSize)
FORWARD(nvrtcGetOptiXIR)
FORWARD(nvrtcGetTileIRSize)
FORWARD(nvrtcGetTileIR)
FORWARD(nvrtcGetProgramLogSize)
FORWARD(nvrtcGetProgramLog)
FORWARD(nvrtcAddNameExpression)
FORWARD(nvrtcGetLoweredName)
FORWARD(nvrtcGetPCHHeapSize)
FORWARD(nvrtcSetPCHHeapSize)
FORWARD(nvrtcGetPCHCreateStatus)
FORWARD(nvrtcGetPCHHeapSizeRequired)
FORWARD(nvrtcSetFlowCallback)
FORWARD(nvrtcInstallBundledHeaders)
FORWARD(nvrtcGetBundledHeadersInfo)
FORWARD(nvrtcRemoveBundledHeaders)

API const char *nvrtcGetErrorString(long result) {
  Any real = theirs("nvrtcGetErrorString");
  return real ? (const char *)real(result, 0, 0, 0, 0, 0) : "NVRTC_ERROR_INTERNAL_ERROR";
}

// Programs that were asked for machine code, of which we have the PTX.
typedef struct Known { void *program; struct Known *next; } Known;
static Known *known;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void remember(void *program, int asks) {
  pthread_mutex_lock(&lock);
  Known **at = &known;
  while (*at && (*at)->program != program) at = &(*at)->next;
  if (asks && !*at) {
    *at = calloc(1, sizeof **at);
    (*at)->program = program;
  } else if (!asks && *at) {
    Known *gone = *at;
    *at = gone->next;
    free(gone);
  }
  pthread_mutex_unlock(&lock);
}
static int asked(void *program) {
  pthread_mutex_lock(&lock);
  Known *at = known;
  while (at && at->program != program) at = at->next;
  pthread_mutex_unlock(&lock);
  return at != 0;
}

static int is(const char *option, const char *name) {  // --name or -name, with or without a value
  if (*option++ != '-') return 0;
  option += *option == '-';
  size_t length = strlen(name);
  return !strncmp(option, name, length) && (!option[length] || option[length] == '=');
}

API long nvrtcCompileProgram(void *program, int count, const char *const *options) {
  Any real = theirs("nvrtcCompileProgram");
  if (!real) return INTERNAL_ERROR;
  const char **changed = calloc(count + 1, sizeof *changed);
  char *virtual = 0;
  int located = 0, link_time = 0;
  for (int i = 0; i < count; i++) {
    changed[i] = options[i];
    located |= is(options[i], "lineinfo") || is(options[i], "generate-line-info") || is(options[i], "G") ||
               is(options[i], "device-debug");
    link_time |= is(options[i], "dlto") || is(options[i], "dlink-time-opt");
  }
  for (int i = 0; i < count && !link_time; i++) {
    int names = is(options[i], "arch") || is(options[i], "gpu-architecture");
    int before = i && !strchr(options[i - 1], '=') && (is(options[i - 1], "arch") || is(options[i - 1], "gpu-architecture"));
    const char *machine = names || before ? strstr(options[i], "sm_") : 0;
    if (!machine) continue;
    virtual = malloc(strlen(options[i]) + 16);
    sprintf(virtual, "%.*scompute_%s", (int)(machine - options[i]), options[i], machine + 3);
    changed[i] = virtual;
  }
  if (!located && !link_time) changed[count++] = "-lineinfo";
  remember(program, virtual != 0);
  long result = real((long)program, count, (long)changed, 0, 0, 0);
  free(changed);
  free(virtual);
  return result;
}
API long nvrtcGetCUBINSize(void *program, size_t *size) {
  Any real = theirs(asked(program) ? "nvrtcGetPTXSize" : "nvrtcGetCUBINSize");
  return real ? real((long)program, (long)size, 0, 0, 0, 0) : INTERNAL_ERROR;
}
API long nvrtcGetCUBIN(void *program, char *cubin) {
  Any real = theirs(asked(program) ? "nvrtcGetPTX" : "nvrtcGetCUBIN");
  return real ? real((long)program, (long)cubin, 0, 0, 0, 0) : INTERNAL_ERROR;
}
API long nvrtcDestroyProgram(void **program) {
  Any real = theirs("nvrtcDestroyProgram");
  if (program) remember(*program, 0);
  return real ? real((long)program, 0, 0, 0, 0, 0) : INTERNAL_ERROR;
}
