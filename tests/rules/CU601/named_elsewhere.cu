// A kernel whose attributes the host sets: its name stands for more than its launches.
__global__ void rounds(int *out, const int *in, int degree)  // expect: CU601 "degree=24"
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = in[i];
    for (int k = 0; k < degree; k++)
        x = k % 3 ? x ^ 5 : x + k;
    out[i] = x;
}

void launch(int *out, const int *in)
{
    cudaFuncSetCacheConfig(rounds, cudaFuncCachePreferL1);
    rounds<<<64, 256>>>(out, in, 24);
}
