// What stands beside a power in a statement that says `double` stays double.
__global__ void beside_difference(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double small = in[i] * 1e-6;
    out[i] = (float)((exp(small) - 1.0) / small + pow(small, 2.0));  // expect: CU704 "the results are the same bits"
}

void launch(float *out, const float *in)
{
    beside_difference<<<64, 256>>>(out, in);
}
