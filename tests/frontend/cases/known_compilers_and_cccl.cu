// Where a source insists on GCC, CUDA's own headers are still those for this compiler.
// kernels: counted
#if defined(__GNUC__)
#define ALIGNED __attribute__((aligned(16)))
#elif defined(_MSC_VER)
#define ALIGNED __declspec(align(16))
#else
#error "a compiler that nobody knows"
#endif
#include <cuda/std/array>

struct ALIGNED Row {
  cuda::std::array<float, 4> values;
};
__global__ void counted(Row *rows) { rows[threadIdx.x].values[0] += 1; }
