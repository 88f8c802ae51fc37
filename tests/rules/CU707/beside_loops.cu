// Once for each thread: what it is of the kernel's work hangs on how long the loop is.
__global__ void normalised(float *x, const float *variance, int n)
{
    float by = 1.0f / sqrtf(variance[blockIdx.x] + 1e-5f);  // undecided: CU707 (invented data decides) "trip counts"
    for (int i = threadIdx.x; i < n / 8; i += blockDim.x)
        x[blockIdx.x * n + i] *= by;
}

__global__ void short_rows(float *x, const float *variance, int n)
{
    float by = 1.0f / sqrtf(variance[blockIdx.x] + 1e-5f);  // expect: CU707
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        x[blockIdx.x * n + i] *= by;
}

void normalise(float *x, const float *variance, int n)
{
    normalised<<<512, 256>>>(x, variance, n);
    short_rows<<<512, 256>>>(x, variance, 512);
}
