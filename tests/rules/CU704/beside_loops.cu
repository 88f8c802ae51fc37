// Once for each thread: what it is of the kernel's work hangs on how long the loop is.
__global__ void scaled(float *x, const float *by, int n)
{
    float factor = powf(by[blockIdx.x], 2);  // undecided: CU704 (invented data decides) "trip counts"
    for (int i = threadIdx.x; i < n / 8; i += blockDim.x)
        x[blockIdx.x * n + i] *= factor;
}

void scale(float *x, const float *by, int n) { scaled<<<512, 256>>>(x, by, n); }
