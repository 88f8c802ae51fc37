// Nobody picks blocks of less than a warp: figures of those that invented numbers make tell nothing.
__global__ void few(float *out, const float *in, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * w % 4096 * 16];  // undecided: CU101 (assumed block) "fills no warp"
}

// Those of whole warps do.
__global__ void many(float *out, const float *in, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * w % 4096 * 16];  // expect: CU101
}

void run(float *out, const float *in, int n, int w)
{
    few<<<256, n / 100>>>(out, in, w);
    many<<<256, n / 2>>>(out, in, w);
}
