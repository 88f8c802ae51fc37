// No launch is in sight: the block may be of one thread.
__global__ void neighbours(float *out, const float *in)
{
    __shared__ float line[1024];
    int t = threadIdx.x;
    line[t] = in[t];
    out[t] = line[t ^ 1];  // undecided: CU904 (assumed block)
}

__global__ void never(float *out, const float *in, int n)
{
    __shared__ float line[256];
    int t = threadIdx.x;
    if (n < 0) {
        line[t] = in[t];
        out[t] = line[t ^ 1];  // refuted: CU904 (not reached)
    }
}

__global__ void between_words(float *out, const float *in)
{
    __shared__ float line[260];
    int t = threadIdx.x;
    volatile float *moved = (volatile float *)((char *)line + 1);
    moved[t] = in[t];  // undecided: CU201 (misaligned)
    out[t] = moved[t ^ 1];  // undecided: CU904 (misaligned); CU201 (misaligned)
}

void launch(float *out, const float *in)
{
    never<<<64, 256>>>(out, in, 100);
    between_words<<<64, 256>>>(out, in);
}
