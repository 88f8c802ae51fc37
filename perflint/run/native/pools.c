// Memory in the order of a stream, and the pools that it is taken from.
#include "device.h"
#include <stdlib.h>

#define MAGIC 0x504f4f4cu
struct Pool { u32 magic, shared; int device; u64 threshold, used, high; int reuse[3]; };
static Pool standard[DEVICES], *current[DEVICES];  // made when they are first asked for
typedef struct Owned { u64 address; size_t size; Pool *pool; struct Owned *next; } Owned;
static Owned *owned;

Pool *pd_pool(void *handle) {
  Pool *pool = handle;
  return pool && pool->magic == MAGIC ? pool : 0;
}
static Pool new_pool(int device) { return (Pool){.magic = MAGIC, .device = device, .reuse = {1, 1, 1}}; }
Pool *pd_pool_standard(int device) {
  pd_lock();
  if (!standard[device].magic) standard[device] = new_pool(device);
  pd_unlock();
  return &standard[device];
}
Pool *pd_pool_current(int device) { return current[device] ? current[device] : pd_pool_standard(device); }
Pool *pd_pool_of(void *handle) {
  Error error;
  Stream *stream = pd_stream(handle, &error);
  return pd_pool_current(stream ? pd_stream_device(stream) : pd_device());
}
void pd_pool_set(int device, Pool *pool) { current[device] = pool; }

Pool *pd_pool_new(int device) {
  Pool *pool = calloc(1, sizeof *pool);
  *pool = new_pool(device);
  return pool;
}
Error pd_pool_drop(void *handle) {
  Pool *pool = pd_pool(handle);
  if (!pool || pool == &standard[pool->device]) return INVALID_VALUE;
  pool->magic = 0;
  for (int i = 0; i < DEVICES; i++) if (current[i] == pool) current[i] = 0;
  return OK;
}

// Let a device access what a pool holds and will give, or not.
Error pd_pool_share(void *handle, int device, int on) {
  Pool *pool = pd_pool(handle);
  if (!pool) return INVALID_VALUE;
  if (!pd_is_device(device)) return INVALID_DEVICE;
  pd_lock();
  pool->shared = on ? pool->shared | 1u << device : pool->shared & ~(1u << device);
  for (Owned *each = owned; each; each = each->next)
    if (each->pool == pool) pd_share(each->address, pool->shared);
  pd_unlock();
  return OK;
}
int pd_pool_reaches(Pool *pool, int device) { return device == pool->device || pool->shared >> device & 1; }

Error pd_pool_allocate(u64 *address, size_t size, void *handle, void *stream_handle) {
  Error error;
  Pool *pool = pd_pool(handle);
  Stream *stream = pd_stream(stream_handle, &error);
  if (!pool || !stream || !address) return stream ? INVALID_VALUE : error;
  int here = pd_device();
  pd_set_device(pool->device);
  error = pd_allocate(address, size, DEVICE);
  pd_set_device(here);
  if (error || !*address) return error;
  pd_share(*address, pool->shared);
  if (stream->capture) {
    Operation does = {.type = ALLOC};
    does.memory.address = *address, does.memory.size = size;
    return pd_submit(stream_handle, &does);
  }
  pd_lock();
  Owned *one = malloc(sizeof *one);
  *one = (Owned){*address, size, pool, owned};
  owned = one, pool->used += size;
  if (pool->used > pool->high) pool->high = pool->used;
  pd_unlock();
  return OK;
}

Error pd_pool_free(u64 address, void *stream_handle, const void *caller) {
  Error error;
  Stream *stream = pd_stream(stream_handle, &error);
  if (!stream) return error;
  if (stream->capture) {
    Operation does = {.type = FREE};
    does.memory.address = address;
    return pd_submit(stream_handle, &does);
  }
  pd_lock();
  for (Owned **each = &owned; *each; each = &(*each)->next)
    if ((*each)->address == address) {
      Owned *gone = *each;
      gone->pool->used -= gone->size, *each = gone->next;
      free(gone);
      break;
    }
  pd_unlock();
  return address ? pd_free(address, DEVICE, caller) : INVALID_VALUE;
}

// Attributes by number (cudaMemPoolAttr): 1 to 3 ways of reuse, 4 the threshold, 5 and 7 memory that
// is reserved and used, 6 and 8 the most that was.
Error pd_pool_set_attribute(void *handle, int which, const void *value) {
  Pool *pool = pd_pool(handle);
  if (!pool || !value) return INVALID_VALUE;
  if (which >= 1 && which <= 3) pool->reuse[which - 1] = *(const int *)value;
  else if (which == 4) pool->threshold = *(const u64 *)value;
  else if (which == 6 || which == 8) pool->high = pool->used;
  else return INVALID_VALUE;
  return OK;
}
Error pd_pool_get_attribute(void *handle, int which, void *value) {
  Pool *pool = pd_pool(handle);
  if (!pool || !value) return INVALID_VALUE;
  if (which >= 1 && which <= 3) *(int *)value = pool->reuse[which - 1];
  else if (which == 4) *(u64 *)value = pool->threshold;
  else if (which == 5 || which == 7) *(u64 *)value = pool->used;
  else if (which == 6 || which == 8) *(u64 *)value = pool->high;
  else return INVALID_VALUE;
  return OK;
}
