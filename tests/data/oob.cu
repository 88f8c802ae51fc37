// A store behind the end of an array: the last threads lack the guard that the first kernel has.
__global__ void guarded(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 1.0f;
}

__global__ void unguarded(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 1.0f;
}
