// Small arguments that decide loops.

// After figure 17 of Yang et al.: DecGPU's KmerSize is odd and less than 33, 31 by default.
__global__ void error_positions(int *out, const unsigned char *in, int kmer, int at)  // expect: CU601 "`kmer` is a constant" "kmer=31"
{
    extern __shared__ unsigned char space[];
    int tid = threadIdx.x, sum = 0;
    for (int i = 0; i < kmer; i++)
        space[i * 256 + tid] = in[(blockIdx.x * kmer + i) * 256 + tid];  // expect: CU103
    for (int i = 0; i < kmer; ++i) {
        unsigned char ch = i != at ? space[i * 256 + tid] : 0;  // expect: CU602
        sum = sum * 5 + ch;
    }
    out[blockIdx.x * 256 + tid] = sum;
}

// Figure 18, its fix.
template <int kmer>
__global__ void error_positions_of(int *out, const unsigned char *in, int at)
{
    unsigned char space[kmer];
    int tid = threadIdx.x, sum = 0;
#pragma unroll
    for (int i = 0; i < kmer; i++)
        space[i] = in[(blockIdx.x * kmer + i) * 256 + tid];  // expect: CU103
#pragma unroll
    for (int i = 0; i < kmer; ++i)
        sum = sum * 5 + (i != at ? space[i] : 0);
    out[blockIdx.x * 256 + tid] = sum;
}

__global__ void filter(float *out, const float *in, const float *weight, int radius)  // expect: CU601 "radius=7"
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 16;
    float sum = 0.0f;
    for (int k = -radius; k <= radius; k++)
        sum += weight[k + radius] * in[i + k];  // expect: CU501; CU109
    out[i] = sum;
}

__global__ void window(float *out, const float *in, int width, int height, int pitch)  // expect: CU601 "`width` and `height`"
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float most = -1e30f;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            most = fmaxf(most, in[y * pitch + i + x]);  // expect: CU109
    out[i] = most;
}

__global__ void rounds(int *out, const int *in, int degree)  // expect: CU601 "degree=24"
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = in[i];
    for (int k = 0; k < degree; k++)
        x = k % 3 ? x ^ 5 : x + k;
    out[i] = x;
}

// ok: memory takes as long for its rows as its instructions do to issue, unrolled or not
__global__ void features(float *out, const float *in, const float *centre, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int f = 0; f < count; f++) {
        float d = in[f * 16384 + i] - centre[f];  // expect: CU501
        sum += d * d;
    }
    out[i] = sum;
}

__global__ void series(float *out, const float *in, const float *factor, int terms)  // expect: CU601 "terms=16"
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], sum = 0.0f;
    for (int k = 0; k < terms; k++)
        sum = sum * x + factor[k];  // expect: CU501
    out[i] = sum;
}

// ok: a few instructions, beside two accesses to memory
__global__ void short_one(int *out, const int *in, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = in[i];
    for (int k = 0; k < turns; k++)
        x = x * 5 + k;
    out[i] = x;
}

// ok: the size of the problem
__global__ void rows(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += in[k * 16384 + i];
    out[i] = sum;
}

// ok: a constant already
template <int count>
__global__ void constant(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < count; k++)
        sum += in[k * 16384 + i];
    out[i] = sum;
}

// ok: nothing says which value it has
__global__ void unknown_value(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += in[k * 16384 + i];
    out[i] = sum;
}

// ok: in no loop
__global__ void choice(float *out, const float *in, int mode)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = mode == 3 ? in[i] * 2.0f : in[i] + 1.0f;
}

// ok: the loop is all one function, which costs the same unrolled
__global__ void roots(float *out, const float *in, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < turns; k++)
        x = sqrtf(x + 1.0f) / (x + 2.0f);
    out[i] = x;
}

void launch(float *out, const float *in, int *codes, const unsigned char *bytes, int n)
{
    error_positions<<<64, 256, 33 * 256>>>(codes, bytes, 31, 5);
    error_positions_of<31><<<64, 256>>>(codes, bytes, 5);
    filter<<<64, 256>>>(out, in, in, 7);
    window<<<64, 256>>>(out, in, 5, 3, 16384);
    rounds<<<64, 256>>>(codes, codes, 24);
    features<<<64, 256>>>(out, in, in, 16);
    series<<<64, 256>>>(out, in, in, 16);
    short_one<<<64, 256>>>(codes, codes, 4);
    rows<<<64, 256>>>(out, in, 500);
    constant<8><<<64, 256>>>(out, in);
    unknown_value<<<64, 256>>>(out, in, n);
    choice<<<64, 256>>>(out, in, 3);
    roots<<<64, 256>>>(out, in, 12);
}
