// What the files of libcublas share.
#pragma once
#include "device.h"

#define API __attribute__((visibility("default")))
typedef int S;  // cublasStatus_t
enum { SUCCESS = 0, NO_HANDLE = 1, ALLOC_FAILED = 3, BAD_VALUE = 7, EXECUTION_FAILED = 13, UNSUPPORTED = 15 };
typedef struct { u32 magic; void *stream; int on_device, math, atomics; } Handle;

// Before each function: whether it can run here, and a word, once, that it did.
S blas_begin(const Handle *h, const char *name);
#define BEGIN(name) do { S s_ = blas_begin(h, name); if (s_) return s_; } while (0)
