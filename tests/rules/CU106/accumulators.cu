// Values that stay at one address for a whole loop, and that the compiler must send to memory each
// turn, for another pointer might lead there.

__global__ void dot(float *out, const float *a, const float *b, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    out[x] = 0.0f;
    for (int k = 0; k < n; k++)
        out[x] += a[k * 65536 + x] * b[k * 65536 + x];  // expect: CU106 "store to `out`"
}

__global__ void count(int *found, const int *data, int wanted, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        found[x] = found[x] + (data[k * 65536 + x] ^ wanted);  // expect: CU106 "after the loop"
}

// The last turn's value is all that stays.
__global__ void last(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        out[x] = 0.5f * in[k * 65536 + x];  // expect: CU106 "the address is the same on every iteration"
}

// The array is passed twice, so that `__restrict__` would be a lie: the load is repeated all the same.
__global__ void scaled(float *out, const float *in, const float *scale, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        out[k * 65536 + x] = in[k * 65536 + x] * scale[x];  // expect: CU106 "load from `scale`"  // refuted: CU503 (nothing to report)
}

// A new address each turn.
__global__ void rows(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        out[k * 65536 + x] = in[k * 65536 + x];  // ok
}

// What others wait for must go through memory.
__global__ void progress(volatile int *done, const float *in, float *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
        sum += in[k * 65536 + x];
        done[x] = k;  // ok
    }
    out[x] = sum;
}

void launch(float *f, const float *a, const float *b, int *i)
{
    dot<<<256, 256>>>(f, a, b, 64);
    count<<<256, 256>>>(i, (const int *)a, 3, 64);
    last<<<256, 256>>>(f, a, 64);
    scaled<<<256, 256>>>(f, a, f, 64);
    rows<<<256, 256>>>(f, a, 64);
    progress<<<256, 256>>>(i, a, f, 64);
}
