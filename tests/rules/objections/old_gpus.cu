// perflint --arch sm_10 --arch sm_80
// No launch is in sight: another block may read it as well on both.
__global__ void rows(float *out, const float *in)
{
    __shared__ float tile[256 + 17 * 16];
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    tile[y * 17 + x] = in[threadIdx.x];  // expect: CU201  // undecided: CU801 (assumed block)  // refuted: CU801 (nothing wasted); CU801 (nothing to report)
    __syncthreads();
    out[threadIdx.x] = tile[x * 17 + y];  // expect: CU201  // undecided: CU801 (assumed block)
}

// Columns of a narrow tile share no bank.
__global__ void columns(float *out, const float *in, int n)
{
    __shared__ float tile[256 + 17 * 16];
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[x * (n / 75) + y];  // undecided: CU201 (fine with other values); CU801 (fine with other values)
}

void launch(float *out, const float *in, int n)
{
    columns<<<64, 256>>>(out, in, n);
}
