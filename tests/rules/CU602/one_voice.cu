// Rows of 32 words, a thread each: they conflict, but nobody else reads them. Padding is no advice.
__global__ void own_rows(float *out, const float *in)
{
    __shared__ float row[32][32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 32; k++)
        row[threadIdx.x][k] = in[k * 8192 + i];  // expect: CU602 "its own 128 bytes"
    float sum = 0.0f;
    for (int k = 0; k < 32; k++)
        sum += row[threadIdx.x][(k * 7) & 31];
    out[i] = sum;
}

void launch(float *out, const float *in)
{
    own_rows<<<256, 32>>>(out, in);
}
