// CU601 specialization-candidate: the radius is 7 wherever the filter is launched, but the loop has
// to provide for any.

__constant__ float weight[33];

__global__ void filter(float *out, const float *in, int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = -radius; k <= radius; k++)
        sum += weight[k + radius] * in[(k + radius) * 16384 + i];
    out[i] = sum;
}

void launch(float *out, const float *in)
{
    filter<<<64, 256>>>(out, in, 7);
}
