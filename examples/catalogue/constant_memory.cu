// CU501 constant-memory-candidate: all lanes read the same weight at a time, from global memory.

__global__ void filter(float *out, const float *in, const float *weight)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 64; k++)
        sum += weight[k] * in[k * 65536 + i];
    out[i] = sum;
}

void launch(float *out, const float *in, const float *weight)
{
    filter<<<256, 256>>>(out, in, weight);
}
