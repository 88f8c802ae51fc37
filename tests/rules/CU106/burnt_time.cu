// Loops that do the same over and over take time on purpose, as in a demonstration of streams.

__global__ void incremented(int *data, const int *by, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < turns; r++)
        data[i] = data[i] + by[i];  // ok
}

__global__ void copied(int *out, int *in, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < turns; r++)
        out[i] = in[i] + 1;  // ok
}

// Unrolled, with the turns that are left over behind it, and once for each of a thread's elements.
__global__ void added(double *sum, const double *a, const double *b, int n, int turns)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum[i] = 0;
        for (int r = 0; r < 4 * turns; r++)
            sum[i] += a[i] + b[i];  // ok
    }
}

// Unrolled whole, and what is loaded is another element in each turn.
__global__ void forty(float *out, const float *a, const float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < 40; r++)
        out[i] = a[i] + b[i];  // ok
}

__global__ void others(float *out, float *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int r = 0; r < 16; r++)
        out[i] = out[i] + a[i + 16384 * r];  // expect: CU106
}

// An iteration in memory: each turn goes on from the last one's result.
__global__ void iterated(float *out, const float *c, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < turns; r++)
        out[i] = out[i] * out[i] + c[i];  // expect: CU106; CU503
}

// What is added is another number in each turn.
__global__ void counted(int *out, const int *mask, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < turns; r++)
        out[i] = (out[i] + r) ^ mask[i];  // expect: CU106; CU503
}

void launch(int *a, int *b, float *x, float *y)
{
    incremented<<<64, 256>>>(a, b, 100);
    copied<<<64, 256>>>(a, b, 100);
    added<<<64, 256>>>((double *)x, (double *)y, (double *)y, 65536, 100);
    iterated<<<64, 256>>>(x, y, 100);
    counted<<<64, 256>>>(a, b, 100);
    forty<<<64, 256>>>(x, y, y);
    others<<<64, 256>>>(x, y);
}
