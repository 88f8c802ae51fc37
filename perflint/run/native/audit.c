// Loaded by the dynamic linker itself (LD_AUDIT, rtld-audit(7)) into every process of the program.
//
// Whoever looks for a library that perflint stands in for gets perflint's, wherever it is looked for;
// and where NVIDIA's runtime is linked into a program or library, its functions are made to jump to
// perflint's runtime before any of them has run.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static char folder[4096];  // where this library and its neighbours are
static size_t folder_size;

EXPORT unsigned la_version(unsigned offered) {
  Dl_info self;
  const char *slash = dladdr(la_version, &self) ? strrchr(self.dli_fname, '/') : 0;
  if (slash && (size_t)(slash + 1 - self.dli_fname) < sizeof folder - 64) {
    folder_size = slash + 1 - self.dli_fname;
    memcpy(folder, self.dli_fname, folder_size);
  }
  return offered < LAV_CURRENT ? offered : LAV_CURRENT;
}

static int is_ours(const char *path) { return folder_size && !strncmp(path, folder, folder_size); }

// --- libraries that are looked for ---------------------------------------------------------------

EXPORT char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag) {
  static char found[sizeof folder + 256];
  const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
  // What our own libraries look for is NVIDIA's.
  if (*cookie == 1 || strncmp(base, "lib", 3) || !strstr(base, ".so") || strlen(base) > 64 || !folder_size)
    return (char *)name;
  snprintf(found, sizeof found, "%.*s%s", (int)folder_size, folder, base);
  return access(found, R_OK) ? (char *)name : found;
}

// --- runtimes that are linked in -----------------------------------------------------------------

enum { MOST = 64, JUMP = 16 };
static struct { char path[1024]; uintptr_t base; } pending[MOST];
static int waiting;

// One of a file's tables of symbols, mapped; `symbols` is 0 where there is none.
typedef struct { char *file; size_t size; const ElfW(Sym) *symbols; size_t count; const char *names; } Symbols;

static Symbols symbols_of(const char *path, unsigned kind) {
  Symbols s = {0};
  struct stat status;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return s;
  if (!fstat(file, &status) && (size_t)status.st_size >= sizeof(ElfW(Ehdr))) {
    s.size = status.st_size;
    s.file = mmap(0, s.size, PROT_READ, MAP_PRIVATE, file, 0);
    if (s.file == MAP_FAILED) s.file = 0;
  }
  close(file);
  if (!s.file) return s;
  const ElfW(Ehdr) *head = (void *)s.file;
  size_t end = head->e_shoff + (size_t)head->e_shnum * sizeof(ElfW(Shdr));
  if (memcmp(head->e_ident, ELFMAG, SELFMAG) || !head->e_shoff || end > s.size) return s;
  const ElfW(Shdr) *sections = (void *)(s.file + head->e_shoff);
  for (int i = 0; i < head->e_shnum; i++) {
    const ElfW(Shdr) *at = &sections[i];
    if (at->sh_type != kind || at->sh_link >= head->e_shnum) continue;
    const ElfW(Shdr) *text = &sections[at->sh_link];
    if (at->sh_offset + at->sh_size > s.size || text->sh_offset + text->sh_size > s.size) continue;
    s.symbols = (void *)(s.file + at->sh_offset), s.count = at->sh_size / sizeof(ElfW(Sym));
    s.names = s.file + text->sh_offset;
  }
  return s;
}

// The name of a function of the runtime's that the file defines; 0: the symbol is something else.
static const char *runtime_name(const Symbols *s, size_t i) {
  const ElfW(Sym) *symbol = &s->symbols[i];
  if (!symbol->st_shndx || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC) return 0;
  const char *name = s->names + symbol->st_name;
  return !strncmp(name, "cuda", 4) || !strncmp(name, "__cuda", 6) ? name : 0;
}

enum { NONE, CUDA_12 = 12, CUDA_13 = 13 };
static int runtime_in(const Symbols *s) {  // which runtime is linked in
  int registers = 0, launches = 0, second = 0, newest = 0;
  for (size_t i = 0; i < s->count; i++) {
    const char *name = runtime_name(s, i);
    if (!name) continue;
    registers |= !strcmp(name, "__cudaRegisterFatBinary");
    launches |= !strcmp(name, "cudaLaunchKernel");
    second |= !strcmp(name, "cudaGetDeviceProperties_v2");
    newest |= !strcmp(name, "__cudaGetProcAddress");
  }
  return !registers || !launches ? NONE : newest && !second ? CUDA_13 : CUDA_12;
}

static void jump(char *from, const void *to) {
#if defined __x86_64__
  memcpy(from, "\xff\x25\0\0\0\0", 6);  // jmp *0(%rip)
  memcpy(from + 6, &to, sizeof to);
#elif defined __aarch64__
  static const uint32_t code[] = {0x58000050, 0xd61f0200};  // ldr x16, .+8; br x16
  memcpy(from, code, sizeof code);
  memcpy(from + 8, &to, sizeof to);
#endif
  __builtin___clear_cache(from, from + JUMP);
}

// Not dlsym, which knows no library that was not opened by dlopen.
static const void *defined(const Symbols *s, uintptr_t base, const char *wanted) {
  for (size_t i = 0; i < s->count; i++) {
    const char *name = runtime_name(s, i);
    if (name && !strcmp(name, wanted)) return (void *)(base + s->symbols[i].st_value);
  }
  return 0;
}

static void replace(const Symbols *s, uintptr_t base, const struct link_map *runtime) {
  uintptr_t page = sysconf(_SC_PAGESIZE);
  Symbols known = symbols_of(runtime->l_name, SHT_DYNSYM);
  for (size_t i = 0; i < s->count; i++) {
    const char *name = runtime_name(s, i);
    uintptr_t at = base + s->symbols[i].st_value;
    // Functions are JUMP bytes apart, or more.
    const void *ours = name && at % JUMP == 0 ? defined(&known, runtime->l_addr, name) : 0;
    if (!ours) continue;
    char *from = (char *)(at & ~(page - 1));
    size_t size = ((at + JUMP - 1) & ~(page - 1)) + page - (uintptr_t)from;
    if (mprotect(from, size, PROT_READ | PROT_WRITE | PROT_EXEC)) break;
    jump((char *)at, ours);
    mprotect(from, size, PROT_READ | PROT_EXEC);
  }
  if (known.file) munmap(known.file, known.size);
}

static struct link_map *runtimes[2];  // of CUDA 12 and 13: they are preloaded

static void replace_all(void) {
  while (waiting) {
    int which = --waiting;
    Symbols s = symbols_of(pending[which].path, SHT_SYMTAB);
    struct link_map *runtime = runtimes[runtime_in(&s) - CUDA_12];
    if (runtime) replace(&s, pending[which].base, runtime);
    munmap(s.file, s.size);
  }
}

EXPORT unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie) {
  int ours = space != LM_ID_BASE || is_ours(map->l_name);
  *cookie = ours;
  for (int i = 0; i < 2 && space == LM_ID_BASE && ours; i++)
    if (strstr(map->l_name, i ? "libcudart.so.13" : "libcudart.so.12")) runtimes[i] = map;
  if (ours) return 0;
  const char *path = *map->l_name ? map->l_name : "/proc/self/exe";
  Symbols s = symbols_of(path, SHT_SYMTAB);
  if (s.symbols && waiting < MOST && strlen(path) < sizeof pending->path && runtime_in(&s)) {
    strcpy(pending[waiting].path, path);
    pending[waiting++].base = map->l_addr;
  }
  if (s.file) munmap(s.file, s.size);
  return 0;
}

// All that was asked for is loaded and relocated, and nothing of it has run.
EXPORT void la_activity(uintptr_t *cookie, unsigned what) {
  if (what == LA_ACT_CONSISTENT) replace_all();
}
