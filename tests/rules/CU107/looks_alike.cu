// Local arrays that end in registers or constants, and the slow path of a sine.
__global__ void unrolled(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[8], sum = 0.0f;
    for (int k = 0; k < 8; k++)
        v[k] = in[k * 16384 + i];
    for (int k = 0; k < 8; k++)
        sum += v[7 - k] * (float)k;
    out[i] = sum;
}

__global__ void waves(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = sinf(in[i]) + cosf(in[i] * 3.0f);
}

// a table of constants, which ptxas puts into the constant bank
__global__ void table(float *out, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float t[8] = {1, 4, 2, 8, 5, 7, 3, 6};
    out[i] = t[in[i] & 7];  // refuted: CU107 (nothing to report)
}

__global__ void chosen(float *out, const float *in, int which)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = in[i], b = in[i + 16384], c = in[i + 32768];
    out[i] = which == 0 ? a : which == 1 ? b : c;
}

__global__ void in_shared(float *out, const int *in, int n)
{
    __shared__ float sums[16][256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int c = 0; c < 16; c++)
        sums[c][threadIdx.x] = 0.0f;
    for (int k = 0; k < n; k++)
        sums[in[k * 16384 + i] & 15][threadIdx.x] += 1.0f;
    float best = 0.0f;
    for (int c = 0; c < 16; c++)
        best = fmaxf(best, sums[c][threadIdx.x]);
    out[i] = best;
}

// many values, and registers for all of them
__global__ void __launch_bounds__(256) roomy(float *out)
{
    float v[64], sum = 0.0f;
    for (int i = 0; i < 64; i++)
        v[i] = out[i * 1024 + threadIdx.x];
    __syncthreads();  // expect: CU902
    for (int i = 0; i < 64; i++)
        sum += v[i] * v[63 - i];
    for (int i = 0; i < 64; i++)
        out[i * 1024 + threadIdx.x] = v[i] + sum;
}

void launch(float *f, const float *g, const int *j)
{
    unrolled<<<64, 256>>>(f, g);
    waves<<<64, 256>>>(f, g);
    table<<<64, 256>>>(f, j);
    chosen<<<64, 256>>>(f, g, 1);
    in_shared<<<64, 256>>>(f, j, 100);
    roomy<<<1, 256>>>(f);
}
