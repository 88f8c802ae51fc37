// One kernel is wrong; the other's finding must survive.
__global__ void wrong(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[idx];  // expect: CU001 "idx"
}

__global__ void right(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++)
        out[i] += in[i * n + j];  // expect: CU101 "load from `in`"; CU106
}
