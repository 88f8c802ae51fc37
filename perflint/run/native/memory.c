// Device memory: allocations, what of it the host sees, copies and fills.
#define _GNU_SOURCE
#include "device.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
#define PAGE 4096ull
#define SLACK (64ull << 10)  // behind an allocation: a small overrun reaches nobody else's bytes
#define ORIGIN (1ull << 39)
#define NUMBERS (1u << 20)
#define OURS (1u << 19)  // numbers from here on are perflint's own: module variables, textures
#define FIRST_MAPPED 0x10  // allocations that the host sees lie at their own address, which
#define LAST_MAPPED 0x4f  // processors allow below 2^47; the program's own memory is elsewhere
#define ARENA 0x50  // and further ones share this number
#define FIRST_DEVICE 128
#define MOST_SPANS 65536

// The start of the shared file, as perflint/run/memory.py reads it.
typedef struct { u64 offset, size; u32 kind, generation, device, shared; } Entry;  // `shared`: with devices
typedef struct { u64 address, size, offset; u32 kind, device; } Span;
typedef struct { u64 size, caller; } Freed;  // the last allocation of a number, and who let it go
typedef struct {
  Entry entries[NUMBERS];
  Span spans[MOST_SPANS];
  u64 span_count, span_generation;
  Freed freed[NUMBERS];
} Tables;
#define HEAD (64ull << 20)
_Static_assert(sizeof(Tables) < HEAD, "the tables fit");

static int file;
static char *base;
static u64 limit, top = HEAD, used[DEVICES];
static u32 next_number = FIRST_DEVICE;
static u64 next_arena;
static Tables *tables;
static char *known_bytes;  // with --check: a byte for each byte, 1 where it was written

typedef struct { u64 offset, size; } Hole;
static Hole *holes;
static int hole_count, hole_room;

static u64 rounded(u64 size) { return (size + PAGE - 1) & ~(PAGE - 1); }
static u64 address_of(u32 number) { return ((u64)number << 40) + ORIGIN; }

// The file's upper half is perflint's: first what it allocates, then what is known of each byte.
void pd_map_memory(int shared, u64 size) {
  file = shared;
  base = mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (base == MAP_FAILED) {
    perror("perflint: no room for the device's memory");
    _exit(97);
  }
  tables = (Tables *)base;
  limit = size / 4;
  if (pd_info()->checked) known_bytes = base + size / 2;
}

static int in_device(const void *host) { return (char *)host >= base && (char *)host < base + 2 * limit; }

void pd_written(const void *host, size_t size) {
  if (known_bytes && in_device(host))
    memset(known_bytes + ((char *)host - base), 1, size);
}

// --- pages of the file ---------------------------------------------------------------------------

static u64 take_pages(u64 size) {  // 0: no room
  int best = -1;
  for (int i = 0; i < hole_count; i++)
    if (holes[i].size >= size && (best < 0 || holes[i].size < holes[best].size)) best = i;
  if (best >= 0) {
    u64 at = holes[best].offset;
    holes[best].offset += size, holes[best].size -= size;
    if (!holes[best].size) holes[best] = holes[--hole_count];
    return at;
  }
  if (top + size > limit) return 0;
  top += size;
  return top - size;
}

static void give_pages(u64 offset, u64 size) {
  fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, size);
  if (known_bytes)
    fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset + (known_bytes - base), size);
  for (int i = 0; i < hole_count; i++) {  // joined with a neighbour, where there is one
    if (holes[i].offset + holes[i].size == offset) { holes[i].size += size; return; }
    if (offset + size == holes[i].offset) { holes[i].offset = offset, holes[i].size += size; return; }
  }
  if (hole_count == hole_room) {
    hole_room = hole_room ? 2 * hole_room : 64;
    holes = realloc(holes, hole_room * sizeof *holes);
  }
  holes[hole_count++] = (Hole){offset, size};
}

// --- allocations ---------------------------------------------------------------------------------

static Error add_span(u64 address, u64 size, u64 offset, int kind) {
  u64 at = 0;
  while (at < tables->span_count && tables->spans[at].kind) at++;
  if (at == MOST_SPANS) return OUT_OF_MEMORY;
  tables->spans[at] = (Span){address, size, offset, kind, pd_device()};
  if (at == tables->span_count) tables->span_count++;
  tables->span_generation++;
  tables->entries[address >> 40].kind = SPANS;
  return OK;
}

static Span *span_of(u64 address) {
  for (u64 i = 0; i < tables->span_count; i++) {
    Span *span = &tables->spans[i];
    if (span->kind && address >= span->address && address - span->address < span->size) return span;
  }
  return 0;
}

static void *map_at(u64 address, u64 size, u64 offset) {
  return mmap((void *)address, size, PROT_READ | PROT_WRITE,
              MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, file, offset);
}

static Error allocate_mapped(u64 *out, u64 size, u64 room, u64 offset, int kind) {
  for (u32 number = FIRST_MAPPED; number <= LAST_MAPPED; number++) {
    if (tables->entries[number].kind) continue;
    u64 address = address_of(number);
    if (map_at(address, room, offset) != (void *)address) continue;
    Entry *entry = &tables->entries[number];
    *entry = (Entry){offset, size, kind, entry->generation + 1, pd_device()};
    *out = address;
    return OK;
  }
  if (!next_arena) next_arena = (u64)ARENA << 40;
  u64 address = next_arena;
  if ((address + room) >> 40 != ARENA || map_at(address, room, offset) != (void *)address)
    return OUT_OF_MEMORY;
  next_arena += room;
  *out = address;
  return add_span(address, size, offset, kind);
}

static Error allocate_numbered(u64 *out, u64 size, u64 offset, int kind) {
  for (u32 tried = 0; tried < OURS; tried++) {  // a number is not used again soon
    u32 number = next_number;
    next_number = next_number + 1 < OURS ? next_number + 1 : FIRST_DEVICE;
    Entry *entry = &tables->entries[number];
    if (entry->kind) continue;
    *entry = (Entry){offset, size, kind, entry->generation + 1, pd_device()};
    *out = address_of(number);
    return OK;
  }
  return OUT_OF_MEMORY;
}

Error pd_allocate(u64 *address, size_t size, int kind) {
  *address = 0;
  Error error = pd_start();
  if (error || !size) return error;
  pd_lock();
  u64 room = rounded(size + SLACK), offset = 0;
  if (size > pd_info()->memory || used[pd_device()] + size > pd_info()->memory) error = OUT_OF_MEMORY;
  if (!error && !(offset = take_pages(room))) error = OUT_OF_MEMORY;
  if (!error) error = kind == DEVICE ? allocate_numbered(address, size, offset, kind)
                                     : allocate_mapped(address, size, room, offset, kind);
  if (error && offset) give_pages(offset, room);
  if (!error) used[pd_device()] += size;
  if (!error && kind != DEVICE) pd_written(base + offset, size);  // the host may write it any time
  pd_unlock();
  return error;
}

Error pd_allocate_again(u64 address, size_t size) {
  Entry *entry = &tables->entries[address >> 40];
  if (entry->kind) return entry->size == size ? OK : OUT_OF_MEMORY;
  pd_lock();
  u64 room = rounded(size + SLACK);
  u64 offset = used[pd_device()] + size > pd_info()->memory ? 0 : take_pages(room);
  if (offset) {
    *entry = (Entry){offset, size, DEVICE, entry->generation + 1, pd_device()};
    used[pd_device()] += size;
  }
  pd_unlock();
  return offset ? OK : OUT_OF_MEMORY;
}

int pd_was_given(u64 address) {
  u64 number = address >> 40;
  return tables && address && number < NUMBERS && (tables->entries[number].kind || tables->freed[number].size);
}

int pd_find(u64 address, Allocation *found) {
  u64 number = address >> 40;
  if (!tables || number >= NUMBERS) return 0;
  Entry *entry = &tables->entries[number];
  if (!entry->kind) return 0;
  if (entry->kind == SPANS) {
    Span *span = span_of(address);
    if (span) *found = (Allocation){span->address, span->size, base + span->offset, span->kind, span->device};
    return span != 0;
  }
  *found = (Allocation){address_of(number), entry->size, base + entry->offset, entry->kind, entry->device};
  return address + SLACK >= found->address && address < found->address + found->size + SLACK;
}

static void forget(u64 address, const Allocation *found, const void *caller) {
  u64 room = rounded(found->size + SLACK);
  if (found->kind != DEVICE) munmap((void *)address, room);
  give_pages(found->host - base, room);
  used[found->device] -= found->size;
  Span *span = tables->entries[address >> 40].kind == SPANS ? span_of(address) : 0;
  if (span) span->kind = 0, tables->span_generation++;
  else {
    tables->freed[address >> 40] = (Freed){found->size, (u64)caller};
    tables->entries[address >> 40].kind = 0;
  }
}

Error pd_free(u64 address, int kind, const void *caller) {
  if (!address) return OK;
  Allocation found;
  pd_lock();
  int fits = pd_find(address, &found) && found.address == address && found.kind != REGISTERED &&
             (address >> 40) < OURS && (kind == PINNED) == (found.kind == PINNED);
  if (fits) forget(address, &found, caller);
  pd_unlock();
  return fits ? OK : INVALID_VALUE;
}

// The program's own pages become pages of the shared file, their contents kept.
Error pd_register(void *at, size_t size) {
  Error error = pd_start();
  if (error) return error;
  if (!at || !size) return INVALID_VALUE;
  pd_lock();
  u64 low = (u64)at & ~(PAGE - 1), room = rounded((u64)at + size - low);
  for (u64 page = low; page < low + room && !error; page += PAGE)
    for (u64 i = 0; i < tables->span_count; i++) {
      Span *span = &tables->spans[i];
      if (span->kind && page + PAGE > span->address && page < span->address + span->size)
        error = ALREADY_REGISTERED;
    }
  u64 offset = error ? 0 : take_pages(room);
  if (!error && !offset) error = OUT_OF_MEMORY;
  if (!error) {
    memcpy(base + offset, (void *)low, room);
    if (mmap((void *)low, room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file,
             offset) == MAP_FAILED)
      error = INVALID_VALUE;
  }
  if (!error) error = add_span((u64)at, size, offset + ((u64)at - low), REGISTERED);
  if (!error) pd_written(base + offset, room);
  pd_unlock();
  return error;
}

Error pd_unregister(void *at) {
  pd_lock();
  Span *span = tables ? span_of((u64)at) : 0;
  Error error = span && span->kind == REGISTERED && span->address == (u64)at ? OK : NOT_REGISTERED;
  if (!error) {
    u64 low = (u64)at & ~(PAGE - 1), room = rounded((u64)at + span->size - low);
    u64 offset = span->offset - ((u64)at - low);
    mmap((void *)low, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    memcpy((void *)low, base + offset, room);
    span->kind = 0, tables->span_generation++;
    give_pages(offset, room);
  }
  pd_unlock();
  return error;
}

size_t pd_used(int device) { return used[device]; }

void pd_share(u64 address, u32 devices) { tables->entries[address >> 40].shared = devices; }

char *pd_host(const void *pointer, size_t size) {
  Allocation found;
  if (!pd_find((u64)pointer, &found)) return (u64)pointer >> 47 ? 0 : (char *)pointer;
  u64 offset = (u64)pointer - found.address;
  if (offset > found.size || size > found.size - offset) return 0;
  return found.host + offset;
}

// --- copies --------------------------------------------------------------------------------------

enum { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, ANY };

static int on_device(const void *pointer) {
  Allocation found;
  return pd_find((u64)pointer, &found);
}

static int host_only(const void *pointer) { return !on_device(pointer); }

// Of a copy within the device's memory as much is known as of what it was made of: 2 where nobody
// wrote that. (What the host may write at any time is known.)
static void known_copy(char *to, const char *from, size_t size) {
  char *known = known_bytes + (to - base);
  memmove(known, known_bytes + (from - base), size);
  for (size_t i = 0; i < size; i++) known[i] = known[i] ? known[i] : 2;
}

Error pd_copy(const Copy *c) {
  if (c->kind < HOST_TO_HOST || c->kind > ANY) return INVALID_DIRECTION;
  if (!c->width || !c->height || !c->depth) return OK;
  if ((c->height > 1 || c->depth > 1) && (c->width > c->to_pitch || c->width > c->from_pitch))
    return INVALID_PITCH;
  int to_device = c->kind == HOST_TO_DEVICE || c->kind == DEVICE_TO_DEVICE;
  int from_device = c->kind == DEVICE_TO_HOST || c->kind == DEVICE_TO_DEVICE;
  if ((to_device && host_only(c->to)) || (from_device && host_only(c->from))) return INVALID_VALUE;
  size_t to_span = c->to_slice * (c->depth - 1) + c->to_pitch * (c->height - 1) + c->width;
  size_t from_span = c->from_slice * (c->depth - 1) + c->from_pitch * (c->height - 1) + c->width;
  pd_lock();
  char *to = pd_host(c->to, to_span), *from = pd_host(c->from, from_span);
  if (!to || !from || !c->to || !c->from) { pd_unlock(); return INVALID_VALUE; }
  Allocation found;
  int within = known_bytes && pd_find((u64)c->to, &found) && found.kind == DEVICE && in_device(to) && in_device(from);
  pd_unlock();
  for (size_t z = 0; z < c->depth; z++)
    for (size_t y = 0; y < c->height; y++) {
      char *row = to + z * c->to_slice + y * c->to_pitch;
      const char *of = from + z * c->from_slice + y * c->from_pitch;
      memmove(row, of, c->width);
      if (within) known_copy(row, of, c->width);
      else pd_written(row, c->width);
    }
  return OK;
}

Error pd_fill(const Fill *f) {
  if (!f->width || !f->height || !f->depth) return OK;
  if (host_only(f->to)) return INVALID_VALUE;
  size_t span = f->slice * (f->depth - 1) + f->pitch * (f->height - 1) + f->width * f->unit;
  char *to = pd_host(f->to, span);
  if (!to) return INVALID_VALUE;
  for (size_t z = 0; z < f->depth; z++)
    for (size_t y = 0; y < f->height; y++) {
      char *row = to + z * f->slice + y * f->pitch;
      if (f->unit == 1) memset(row, (int)f->value, f->width);
      else for (size_t x = 0; x < f->width; x++) memcpy(row + x * f->unit, &f->value, f->unit);
      pd_written(row, f->width * f->unit);
    }
  return OK;
}
