// What a linker hands to the driver here: the parts that it was given, behind one another, each with
// its size before it. perflint takes them apart (perflint/run/fatbin.py).
#ifndef PERFLINT_LINKED_IMAGE_H
#define PERFLINT_LINKED_IMAGE_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINKED_MAGIC 0x4b4e4c50u
typedef struct { uint32_t magic, parts; uint64_t size; } LinkedHead;  // `size`: the head's too
typedef struct { char *data; size_t size; } Image;

static inline void image_add(Image *image, const void *part, uint64_t size) {
  LinkedHead head = {LINKED_MAGIC, 0, sizeof head};
  if (image->data) memcpy(&head, image->data, sizeof head);
  image->data = realloc(image->data, head.size + 8 + size);
  memcpy(image->data + head.size, &size, 8);
  memcpy(image->data + head.size + 8, part, size);
  head.parts++, head.size += 8 + size;
  memcpy(image->data, &head, sizeof head);
  image->size = head.size;
}

static inline int image_add_file(Image *image, const char *name) {  // 0: it cannot be read
  FILE *file = name ? fopen(name, "rb") : 0;
  if (!file) return 0;
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  char *data = size > 0 ? malloc(size) : 0;
  int whole = data && fread(data, 1, size, file) == (size_t)size;
  if (whole) image_add(image, data, size);
  free(data);
  fclose(file);
  return whole;
}
#endif
