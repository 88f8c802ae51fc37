// The block is an argument that nothing tells: it is tried within the kernel's launch bounds.
__global__ void __launch_bounds__(64) column(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i * 32];  // expect: CU101
}

__global__ void __launch_bounds__(64) row(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];  // ok
}

void run(float *a, const float *b, int n, int threads)
{
    column<<<(n + threads - 1) / threads, threads>>>(a, b, n);
    row<<<(n + threads - 1) / threads, threads>>>(a, b, n);
}
