// As floating_point.cu, in float.

__global__ void spin(float *probability, const float *temperature)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float t = temperature[i];
    probability[i] = expf(-(4.0f) / t);
}

void launch(float *probability, const float *temperature)
{
    spin<<<64, 256>>>(probability, temperature);
}
