// No launch is in sight: nobody knows whether the arrays overlap.
__global__ void nobody_knows(float *out, float *in, float *factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        out[k * 16384 + i] = in[k * 16384 + i] * factor[i];  // expect: CU106
}
