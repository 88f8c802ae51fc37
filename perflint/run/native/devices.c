// The devices that the program sees, alike in all: which of them a thread works on, and whose memory
// each may access.
#include "device.h"

#define MOST_CONTEXTS 64

// A thread's contexts, one upon the other, by their device; `of[0]` stands too where there is none.
static __thread struct { int level, of[MOST_CONTEXTS]; } contexts;
static u32 peers[DEVICES];  // bit n: access to device n was enabled

int *pd_contexts(void) { return &contexts.level; }
int pd_devices(void) { return pd_info()->devices; }
int pd_is_device(int device) { return device >= 0 && device < pd_devices(); }
int pd_device(void) { return contexts.of[contexts.level ? contexts.level - 1 : 0]; }
void pd_set_device(int device) { contexts.of[contexts.level ? contexts.level - 1 : 0] = device; }

Error pd_push_context(int device) {
  if (contexts.level == MOST_CONTEXTS) return OUT_OF_RESOURCES;
  contexts.of[contexts.level++] = device;
  return OK;
}

u32 pd_reachable(int device) { return peers[device] | 1u << device; }

int pd_may_be_peers(int from, int to) { return from != to && pd_is_device(from) && pd_is_device(to); }

Error pd_enable_peer(int to, int on) {
  int from = pd_device();
  if (!pd_may_be_peers(from, to)) return INVALID_DEVICE;
  u32 bit = 1u << to;
  if (!(peers[from] & bit) == !on) return on ? PEER_ENABLED : PEER_NOT_ENABLED;
  peers[from] ^= bit;
  return OK;
}

// cudaDevP2PAttr…: the rank of the link, access, atomics, arrays.
Error pd_peer_attribute(int *value, int which, int from, int to) {
  if (!value || which < 1 || which > 4) return INVALID_VALUE;
  if (!pd_may_be_peers(from, to)) return INVALID_DEVICE;
  *value = which == 2 || which == 3;
  return OK;
}
