// What the files of libcudart share. CUDART is the version it is built for, 12 or 13; the types are
// those of CUDA 13's header, and what differs has names of its own below.
#ifndef PERFLINT_CUDART_H
#define PERFLINT_CUDART_H
#include "device.h"
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>
#undef cudaGetDeviceProperties

#define API __attribute__((visibility("default")))
typedef cudaError_t E;
typedef enum cudaMemcpyKind Kind;
// A function whose parameters changed between the versions: defined under its name in C, exported
// under the library's.
#define NAMED(name) __asm__(name)

E rt(Error error);  // remember it for cudaGetLastError
E rt_started(void);
E rt_symbol(const void *symbol, char **address, size_t *size);
Operation rt_copy(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                  size_t height, Kind kind);
Error rt_copy_3d(const struct cudaMemcpy3DParms *p, Operation *out);
Error rt_kernel(const struct cudaKernelNodeParams *p, Operation *out);
Error rt_memset(const struct cudaMemsetParams *p, Operation *out);
Error rt_launch(const void *host, const Shape *shape, void **arguments, void *stream);
#define KERNEL_BYTES 65536  // most bytes of arguments, with room to spare
#endif
