// Lines of all sorts.
#include "helper.cuh"

__global__ void column(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // a comment
    out[i] = pick(in, i, n);
}

#ifdef NEVER_DEFINED
__global__ void off(float *out)
{
    out[threadIdx.x * 32] = 0.0f;
}
#endif

__global__ void silenced(float *out)
{
    out[threadIdx.x * 32] = 0.0f;  // perflint: ignore[CU101] -- it is small
}

__global__ void endless(float *out)
{
    while (true)
        out[0] += 1.0f;
}

void run(float *out, const float *in)
{
    column<<<10, 256>>>(out, in, 7);
}
