// A value of each thread's own lets it in, and no run has one that does.
__global__ void behind_own(float *out, const float *in)
{
    __shared__ float tile[32 * 32];
    int t = threadIdx.x;
    float mine = in[blockIdx.x * 32 + t];
    for (int k = 0; k < 32; k++)
        tile[k * 32 + t] = mine + k;
    __syncthreads();
    float sum = 0.0f;
    if (__sinf(mine) > 1.5f)
        for (int k = 0; k < 32; k++)
            sum += tile[t * 32 + k];  // undecided: CU201 (invented data decides) "which lanes of a warp"
    out[blockIdx.x * 32 + t] = sum;
}

// One value lets all in: no lane goes another way than its neighbours.
__global__ void behind_one(float *out, const float *in)
{
    __shared__ float tile[32 * 32];
    int t = threadIdx.x;
    float mine = in[blockIdx.x * 32 + t];
    for (int k = 0; k < 32; k++)
        tile[k * 32 + t] = mine + k;
    __syncthreads();
    float sum = 0.0f;
    if (__sinf(in[0]) > 1.5f)
        for (int k = 0; k < 32; k++)
            sum += tile[t * 32 + k];  // expect: CU201 "not reached by the simulation; proved"
    out[blockIdx.x * 32 + t] = sum;
}

void launch(float *out, const float *in)
{
    behind_own<<<4096, 32>>>(out, in);
    behind_one<<<4096, 32>>>(out, in);
}
