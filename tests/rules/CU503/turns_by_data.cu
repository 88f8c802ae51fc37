// How often it is loaded, data say: what was made up is no figure of the program's.
__global__ void gathered(int *out, const int *in, const int *first, const int *count, const int *at, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int begin = first[i], end = begin + count[i];
    for (int k = begin; k < end; k++)
        out[at[i] + k - begin] = in[k];  // expect: CU503 "a load on each iteration where one before the loop would do"; CU101
}

void launch(int *out, const int *in, const int *first, const int *count, const int *at)
{
    gathered<<<1024, 256>>>(out, in, first, count, at, 262144);
}
