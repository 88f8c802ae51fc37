// Modules, functions and variables that the program registers or loads, and launches.
#define _GNU_SOURCE
#include "device.h"
#include "linked_image.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Module {
  const void *image;
  size_t size;
  struct { u32 functions, device; char file[248]; } from;  // how many it has, who brings it, for whom
  int ids[DEVICES];  // perflint's, one for each device; 0 before it is loaded
  Error errors[DEVICES];
  int dropped;
};

// --- tables by the program's key -----------------------------------------------------------------

typedef struct { void **slots; size_t room, count; } Table;
static Table functions, variables;

static size_t hashed(const void *key, size_t room) { return ((u64)key * 0x9E3779B97F4A7C15ull >> 20) & (room - 1); }

static void **slot_of(const Table *table, const void *key) {
  if (!table->room) return 0;
  size_t at = hashed(key, table->room);
  while (table->slots[at] && *(const void **)table->slots[at] != key) at = (at + 1) & (table->room - 1);
  return &table->slots[at];
}

static void insert(Table *table, void *item) {  // an item begins with its key
  if (table->count * 2 >= table->room) {
    Table bigger = {0, table->room ? 2 * table->room : 1024, table->count};
    bigger.slots = calloc(bigger.room, sizeof *bigger.slots);
    for (size_t i = 0; i < table->room; i++)
      if (table->slots[i]) *slot_of(&bigger, *(const void **)table->slots[i]) = table->slots[i];
    free(table->slots);
    *table = bigger;
  }
  void **slot = slot_of(table, *(const void **)item);
  table->count += !*slot;
  *slot = item;
}

static void *lookup(const Table *table, const void *key) {
  pd_lock();
  void **slot = slot_of(table, key);
  void *found = slot ? *slot : 0;
  pd_unlock();
  return found;
}

// --- modules -------------------------------------------------------------------------------------

static void file_of(const void *address, char *to, size_t room) {
  Dl_info found;
  int known = dladdr(address, &found) && found.dli_fname;
  snprintf(to, room, "%s", known ? found.dli_fname : "");
}

void pd_other_runtime(const void *caller) {
  char file[4096];
  file_of(caller, file, sizeof file);
  free(pd_ask(OTHER_RUNTIME, file, strlen(file), 0, 0).data);
}

Module *pd_new_module(const void *image, size_t size, const void *near) {
  Module *module = calloc(1, sizeof *module);
  *module = (Module){.image = image, .size = size};
  file_of(near, module->from.file, sizeof module->from.file);
  return module;
}

static void bind_managed(Module *module) {
  for (size_t i = 0; i < variables.room; i++) {
    Variable *v = variables.slots[i];
    if (v && v->module == module && v->managed) pd_variable_ready(v);
  }
}

Error pd_load_module(Module *module) {
  int device = pd_device(), *id = &module->ids[device];
  Error *error = &module->errors[device];
  pd_lock();
  if (!*id && !*error) {
    module->from.device = device;
    Reply reply = pd_ask(LOAD_MODULE, &module->from, sizeof module->from, module->image, module->size);
    *error = reply.error;
    if (reply.size >= sizeof *id) memcpy(id, reply.data, sizeof *id);
    free(reply.data);
    if (!*error) bind_managed(module);
  }
  pd_unlock();
  return *error;
}

void pd_drop_module(Module *module) {
  for (int i = 0; i < DEVICES; i++) {
    int *id = &module->ids[i];
    if (*id) free(pd_ask(UNLOAD_MODULE, id, sizeof *id, 0, 0).data);
    module->errors[i] = INVALID_HANDLE, *id = 0;
  }
}

size_t pd_image_size(const void *image) {  // of a fat binary, an ELF file or PTX text
  const unsigned char *p = image;
  u32 magic;
  memcpy(&magic, p, 4);
  if (magic == 0xBA55ED50) {
    u64 size;
    uint16_t head;
    memcpy(&size, p + 8, 8), memcpy(&head, p + 6, 2);
    return head + size;
  }
  if (magic == LINKED_MAGIC) {
    LinkedHead linked;
    memcpy(&linked, image, sizeof linked);
    return linked.size;
  }
  if (magic == 0x464C457F) {  // ELF: perflint only looks at its head
    return 64;
  }
  return strlen(image);
}

Function *pd_new_function(Module *module, const void *host, const char *name) {
  Function *f = calloc(1, sizeof *f);
  *f = (Function){.host = host ? host : f, .module = module, .name = strdup(name), .carveout = -1};
  pd_lock();
  module->from.functions++;
  insert(&functions, f);
  pd_unlock();
  return f;
}

Variable *pd_new_variable(Module *m, const void *host, const char *name, size_t size, void **managed) {
  Variable *v = calloc(1, sizeof *v);
  *v = (Variable){host ? host : v, m, strdup(name), size, managed};
  pd_lock();
  insert(&variables, v);
  pd_unlock();
  return v;
}

Function *pd_function(const void *host) {
  Function *found = lookup(&functions, host);
  if (found) return found;
  pd_lock();  // a handle that a function returned is the Function itself
  for (size_t i = 0; i < functions.room && !found; i++)
    if (functions.slots[i] == host) found = functions.slots[i];
  pd_unlock();
  return host ? found : 0;
}

Variable *pd_variable(const void *host) { return lookup(&variables, host); }

Error pd_function_ready(Function *f) {
  int device = pd_device();
  if (f->ids[device]) return OK;
  Error error = pd_load_module(f->module);
  if (error) return error;
  pd_lock();
  if (!f->ids[device]) {
    Reply reply = pd_ask(GET_FUNCTION, &f->module->ids[device], 4, f->name, strlen(f->name));
    error = reply.error;
    if (!error) {
      memcpy(&f->info, reply.data, sizeof f->info);
      f->ids[device] = f->info.id + 1;
      free(f->parameters);
      f->parameters = calloc(f->info.parameters + 1, sizeof *f->parameters);
      memcpy(f->parameters, reply.data + sizeof f->info, f->info.parameters * sizeof *f->parameters);
      f->ready = 1;
    }
    free(reply.data);
  }
  pd_unlock();
  return error;
}

Error pd_launchable(Function *f) {
  Error error = pd_function_ready(f);
  int *id = &f->module->ids[pd_device()];
  if (error && *id) free(pd_ask(NOT_LAUNCHED, id, sizeof *id, f->name, strlen(f->name)).data);
  return error;
}

Error pd_variable_ready(Variable *v) {
  int device = pd_device();
  if (v->address[device]) return OK;
  Error error = pd_load_module(v->module);
  if (error || v->address[device]) return error;
  pd_lock();
  struct { int module; u32 pad; u64 at; } head = {v->module->ids[device], 0, v->managed ? (u64)*v->managed : 0};
  Reply reply = pd_ask(GET_VARIABLE, &head, sizeof head, v->name, strlen(v->name));
  error = reply.error;
  if (!error) {
    u64 found[2];
    memcpy(found, reply.data, sizeof found);
    v->address[device] = found[0], v->size = found[1];
  }
  free(reply.data);
  pd_unlock();
  return error;
}

// --- launches ------------------------------------------------------------------------------------

static Error sticky;  // what a kernel did that ends the device for this program
static Error pending;  // the same, until the program waits for the device
static char *printed;
static size_t printed_size, printed_room;
static size_t limits[16] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};  // cudaLimit…

size_t pd_limit(int which, size_t value, int set) {
  if (!set) return limits[which];
  limits[which] = value;
  struct { u64 which, value; } head = {which, value};
  free(pd_ask(SET_LIMIT, &head, sizeof head, 0, 0).data);
  return value;
}

int pd_largest_cluster(const Function *f) { return f->cluster_ok ? 16 : 8; }
Error pd_active_clusters(int *n, Function *f, const Shape *s) {
  Error error = pd_check_launch(f, s);
  u32 cluster = s->cluster[0] * s->cluster[1] * s->cluster[2];
  if (!error) *n = pd_occupancy(f, s->block[0] * s->block[1] * s->block[2], s->shared) * pd_info()->sms / cluster;
  return error;
}

Error pd_check_launch(Function *f, const Shape *s) {
  const DeviceInfo *gpu = pd_info();
  u64 threads = 1, most[] = {1024, 1024, 64}, grids[] = {0x7fffffff, 65535, 65535};
  for (int i = 0; i < 3; i++) {
    if (!s->block[i] || !s->grid[i] || s->block[i] > most[i] || s->grid[i] > grids[i])
      return INVALID_CONFIGURATION;
    threads *= s->block[i];
  }
  if (threads > (u64)gpu->threads_per_block) return INVALID_CONFIGURATION;
  if (threads > (u64)f->info.max_threads) return INVALID_VALUE;
  u64 shared = (u64)f->info.shared + s->shared;
  if (shared > (u64)gpu->shared_per_block && s->shared > (u64)f->max_dynamic) return INVALID_VALUE;
  if (shared > (u64)gpu->shared_optin) return INVALID_VALUE;
  u64 cluster = 1;
  for (int i = 0; i < 3; i++) {
    if (!s->cluster[i] || s->grid[i] % s->cluster[i]) return CLUSTER_SIZE;
    cluster *= s->cluster[i];
  }
  if (cluster > 1 && gpu->major < 9) return NOT_SUPPORTED;
  if (cluster > (u64)pd_largest_cluster(f)) return CLUSTER_SIZE;
  if (s->cooperative) {
    u64 blocks = (u64)s->grid[0] * s->grid[1] * s->grid[2];
    if (blocks > (u64)pd_occupancy(f, (int)threads, s->shared) * gpu->sms) return 720;
  }
  return OK;
}

// Arguments as the kernel's parameters lie; `extra` is cuLaunchKernel's other way to give them.
Error pd_pack(Function *f, void **arguments, void **extra, char *packed) {
  memset(packed, 0, f->info.bytes);
  if (extra) {
    void *from = 0;
    size_t size = 0;
    for (; *extra; extra += 2) {
      if (*extra == (void *)1) from = extra[1];
      else if (*extra == (void *)2) size = *(size_t *)extra[1];
    }
    memcpy(packed, from, size < (size_t)f->info.bytes ? size : (size_t)f->info.bytes);
    return OK;
  }
  if (f->info.parameters && !arguments) return INVALID_VALUE;
  for (int i = 0; i < f->info.parameters; i++)
    memcpy(packed + f->parameters[i].offset, arguments[i], f->parameters[i].size);
  return OK;
}

static void keep(const char *text, size_t size) {
  if (!size) return;
  if (printed_size + size > printed_room) {
    printed_room = 2 * (printed_size + size);
    printed = realloc(printed, printed_room);
  }
  memcpy(printed + printed_size, text, size);
  printed_size += size;
}

Error pd_launch(Function *f, const Shape *s, const void *packed) {
  if (sticky) return sticky;
  Error ready = pd_function_ready(f);  // a graph may launch it where nobody has asked for it yet
  if (ready) return ready;
  int device = pd_device();
  struct { int function; u32 grid[3], block[3], cluster[3], shared, cooperative, device, reachable; } head = {
    f->ids[device] - 1, .device = device, .reachable = pd_reachable(device)};
  memcpy(head.grid, s->grid, sizeof *s);
  Reply reply = pd_ask(LAUNCH, &head, sizeof head, packed, f->info.bytes);
  pd_lock();
  keep(reply.data, reply.size);
  free(reply.data);
  Error error = reply.error;
  int stays = error >= ILLEGAL_ADDRESS && error <= LAUNCH_FAILED && error != OUT_OF_RESOURCES;
  if (stays) pending = error;
  pd_unlock();
  return stays ? OK : error;  // as on a device: what the kernel did shows when one waits for it
}

Error pd_sync(void) {
  pd_lock();
  if (printed_size) {
    fwrite(printed, 1, printed_size, stdout);
    fflush(stdout);
    printed_size = 0;
  }
  if (pending) sticky = pending, pending = OK;
  Error error = sticky;
  pd_unlock();
  return error;
}

Error pd_sticky(void) { return sticky; }

void pd_reset(void) {
  pd_sync();
  sticky = pending = OK;
}

// --- occupancy -----------------------------------------------------------------------------------

// Blocks of a multiprocessor at once, by threads, blocks, registers and shared memory (CUDA's
// occupancy calculator; registers are given to warps in units of 256).
int pd_occupancy(Function *f, int block, size_t dynamic) {
  const DeviceInfo *gpu = pd_info();
  if (block < 1 || block > gpu->threads_per_block || block > f->info.max_threads) return 0;
  int warps = (block + 31) / 32;
  int most = gpu->threads_per_sm / 32 / warps;
  if (most > gpu->blocks_per_sm) most = gpu->blocks_per_sm;
  size_t shared = f->info.shared + dynamic;
  if (shared > (size_t)gpu->shared_optin) return 0;
  shared = (shared + gpu->shared_reserved + 127) / 128 * 128;
  if (shared && gpu->shared_per_sm / shared < (size_t)most) most = (int)(gpu->shared_per_sm / shared);
  int registers = (f->info.registers * 32 + 255) / 256 * 256 * warps;
  if (registers && gpu->registers_per_sm / registers < most) most = gpu->registers_per_sm / registers;
  return most;
}
