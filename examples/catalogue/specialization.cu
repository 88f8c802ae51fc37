// CU601 specialization-candidate: the radius is 7 wherever the filter is launched, but the loop has
// to provide for any.

__global__ void filter(float *out, const float *in, const float *weight, int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 16;
    float sum = 0.0f;
    for (int k = -radius; k <= radius; k++)
        sum += weight[k + radius] * in[i + k];
    out[i] = sum;
}

void launch(float *out, const float *in, const float *weight)
{
    filter<<<64, 256>>>(out, in, weight, 7);
}
