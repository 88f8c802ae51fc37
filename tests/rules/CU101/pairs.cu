// Of pairs one half: complex numbers lie so because libraries want them so.
#include <cuComplex.h>

__global__ void conjugate(cuFloatComplex *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i].y *= -1.0f;  // undecided: CU101 (the rule's own) "pairs"; CU101 (the rule's own)
}

// Floats every second of which is asked for: the kernel has them so.
__global__ void every_second(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[2 * i + 1] *= -1.0f;  // expect: CU101 "where 4 would do"
}

void launch(cuFloatComplex *x, float *y)
{
    conjugate<<<4096, 256>>>(x, 1 << 20);
    every_second<<<4096, 256>>>(y, 1 << 20);
}
