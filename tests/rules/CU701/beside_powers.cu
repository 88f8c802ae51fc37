// A power is CU704's, and what else is double in its statement is double with a product in its place, too.
__global__ void beside(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
    out[i] = exp(v * v + 1.0) * pow(v, 2.0);  // expect: CU701 "`1.0`"; CU704
}

__global__ void alone(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
    out[i] = pow(v, 3.0);  // expect: CU704
}

void launch(float *out, const float *in)
{
    beside<<<432, 256>>>(out, in);
    alone<<<432, 256>>>(out, in);
}
