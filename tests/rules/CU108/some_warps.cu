// How many warps of a launch come to an atomic is not told where only some of those that ran do.
#include <cuda_runtime.h>

__global__ void lowest(int *least, const int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    atomicMin(least, data[i]);  // expect: CU108 "up to 8 a block where 1 would do"
}

void launch(int *least, const int *data, int blocks, int n)
{
    lowest<<<blocks, 256>>>(least, data, n);
}

__global__ void highest(int *most, const int *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicMax(most, data[i]);  // expect: CU108 "a launch makes 8,192 atomics on one element"
}

void launch_all(int *most, const int *data)
{
    highest<<<1024, 256>>>(most, data);
}
