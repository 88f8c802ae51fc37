// Once for each thread: what it is of the kernel's work hangs on how long the loop is.
__global__ void scaled(double *x, const double *by, int n)
{
    double factor = by[blockIdx.x] / 3.0;  // undecided: CU702 (invented data decides) "trip counts"
    for (int i = threadIdx.x; i < n / 8; i += blockDim.x)
        x[blockIdx.x * n + i] *= factor;
}

void scale(double *x, const double *by, int n) { scaled<<<512, 256>>>(x, by, n); }
