// CU701 implicit-double: the constant is a double, and so are the division and the exponential.

__global__ void spin(float *probability, const float *temperature)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float t = temperature[i];
    probability[i] = exp(-(4.0) / t);
}

void launch(float *probability, const float *temperature)
{
    spin<<<64, 256>>>(probability, temperature);
}
