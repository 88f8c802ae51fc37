// Arrays, and the textures and surfaces that look at them or at plain memory.
#include "device.h"
#include <stdlib.h>

#define ARRAY 0x41525259u

Error pd_array_new(Array **out, const int bits[4], int format, size_t w, size_t h, size_t d, u32 flags) {
  if (!out || !w) return INVALID_VALUE;
  int sum = bits[0] + bits[1] + bits[2] + bits[3];
  if (sum <= 0 || sum % 8) return INVALID_VALUE;
  Array *array = calloc(1, sizeof *array);
  *array = (Array){ARRAY, flags, {bits[0], bits[1], bits[2], bits[3]}, format, w, h, d, sum / 8, 0};
  Error error = pd_allocate(&array->address, w * (h ? h : 1) * (d ? d : 1) * array->texel, DEVICE);
  if (error) free(array);
  else *out = array;
  return error;
}

Array *pd_array(const void *handle) {
  Array *array = (Array *)handle;
  return array && array->magic == ARRAY ? array : 0;
}

Error pd_array_drop(Array *array, const void *caller) {
  Error error = pd_free(array->address, DEVICE, caller);
  array->magic = 0;
  free(array);
  return error;
}

Error pd_bind(u64 *handle, const Texture *texture) {
  Reply reply = pd_ask(BIND_TEXTURE, texture, sizeof *texture, 0, 0);
  if (!reply.error) *handle = *(u64 *)reply.data;
  free(reply.data);
  return reply.error;
}

Error pd_unbind(u64 handle) {
  Reply reply = pd_ask(DROP_TEXTURE, &handle, sizeof handle, 0, 0);
  free(reply.data);
  return reply.error;
}
