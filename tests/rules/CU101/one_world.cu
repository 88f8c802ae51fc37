// Where other sizes let nobody in, few lanes that came with one size prove nothing.
__global__ void few(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n > 1000 && i % 32 < 8)
        out[i] = in[i * 37 % 4099];  // undecided: CU101 (friendlier values not reached)
}

// Whole warps do.
__global__ void whole(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n > 1000)
        out[i] = in[i * 37 % 4099];  // expect: CU101
}

void launch(float *out, const float *in, int n)
{
    few<<<1024, 256>>>(out, in, n);
    whole<<<1024, 256>>>(out, in, n);
}
