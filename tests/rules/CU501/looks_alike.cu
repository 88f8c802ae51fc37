// Uniform loads that constant memory cannot or need not serve.
__global__ void stored_too(float *out, const float *in, float *sums)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < 32; k++)
        x += sums[k] * x;
    if (i < 32)
        sums[i] = x;
    out[i] = x;
}

// all bodies: far more than 64 KB
__global__ void bodies(float *force, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += x[k] - (float)i;  // ok
    force[i] = sum;
}

// once a thread
__global__ void one_scalar(float *out, const float *in, const float *scale)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * scale[0];
}

// a row a block: all of a large matrix
__global__ void rows(float *out, const float *matrix, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += matrix[blockIdx.x * n + k] * (float)i;
    out[i] = sum;
}

// different lanes, different elements
__global__ void by_thread(float *out, const float *in, const float *weight)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 32; k++)
        sum += weight[k * 256 + threadIdx.x] * in[k * 16384 + i];
    out[i] = sum;
}

// among much other work
// no launch tells how long it is
__global__ void unknown_length(float *out, const float *in, const float *factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < n; k++)
        x = x * factor[k];  // undecided: CU501 (invented data decides) "how large it is"
    out[i] = x;
}

// another kernel makes what this one reads
__global__ void make(float *factor) { factor[threadIdx.x] = 1.0f / (1.0f + (float)threadIdx.x); }
__global__ void use(float *out, const float *in, const float *factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < 100; k++)
        x = x * factor[k];  // undecided: CU501 (the rule's own) "another kernel may write it"
    out[i] = x;
}

__global__ void rarely(float *out, const float *in, const float *scale, int n)  // refuted: CU601 (nothing to report)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < n; k++) {
        float s = scale[k];  // refuted: CU501 (too small to report)
        for (int j = 0; j < 64; j++)
            x = x * x * 0.5f + s * x + 1.0f / (1.0f + x * x);
    }
    out[i] = x;
}

void launch(float *out, const float *in, float *sums, const float *table, int n)
{
    stored_too<<<64, 256>>>(out, in, sums);
    bodies<<<64, 256>>>(out, in, 1 << 20);
    one_scalar<<<64, 256>>>(out, in, table);
    rows<<<64, 256>>>(out, in, 4096);
    by_thread<<<64, 256>>>(out, in, table);
    unknown_length<<<64, 256>>>(out, in, table, n);
    make<<<1, 128>>>(sums);
    use<<<64, 256>>>(out, in, sums);
    rarely<<<64, 256>>>(out, in, table, 16);
}
