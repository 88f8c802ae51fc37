// Reciprocal roots that runs cannot tell of, or that nobody would miss.
#define ENDLESS for (long k = 0; k < 1000000000; k++) sum = sum * 0.5f + in[(i + k) & 16383];

__global__ void before_the_end(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 1.0f / sqrtf(in[i]);  // undecided: CU707 (cut short without a steady loop)
    ENDLESS
    out[i] = sum;
}

__global__ void never(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < 0)
        out[i] = 1.0f / sqrtf(in[i]);  // refuted: CU707 (nothing wasted)
}

__global__ void once(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += in[k * 16384 + i];
    out[i] = 1.0f / sqrtf(sum);  // refuted: CU707 (too small to report)
}

// The name that the edit needs is taken.
__global__ void hidden(float *out, const float *in, float rsqrtf)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = rsqrtf / sqrtf(in[i]);  // undecided: CU707 (the rule's own)
}

// No launch is in sight.
__global__ void perhaps(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n > 1000)
        out[i] = 1.0f / sqrtf(in[i]);  // undecided: CU707 (fine with other values)
}

void launch(float *out, const float *in)
{
    before_the_end<<<64, 256>>>(out, in);
    never<<<64, 256>>>(out, in, 16384);
    once<<<64, 256>>>(out, in, 2000);
    hidden<<<64, 256>>>(out, in, 3.0f);
}
