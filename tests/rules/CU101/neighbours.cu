// Pairs that each thread reads whole, and the ends of its neighbours': those are in L1, read just now.
__global__ void stencil(float *out, const float *in, int n)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i == 0 || i + 2 >= n) return;
    float a = in[i], b = in[i + 1];  // expect: CU102 "2 loads"
    float before = in[i - 1], behind = in[i + 2];
    out[i] = 0.25f * before + 0.5f * a + 0.25f * b;  // expect: CU102 "2 stores"
    out[i + 1] = 0.25f * a + 0.5f * b + 0.25f * behind;
}

// Nobody reads the other half of these.
__global__ void every_second(float *out, const float *in, int n)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i == 0 || i + 2 >= n) return;
    out[i / 2] = in[i - 2] + in[i];  // expect: CU101
}

void launch(float *out, const float *in)
{
    stencil<<<2048, 256>>>(out, in, 1 << 20);
    every_second<<<2048, 256>>>(out, in, 1 << 20);
}
