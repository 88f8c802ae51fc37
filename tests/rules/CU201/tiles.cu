// Columns of tiles with and without padding.
template <int PAD> __global__ void columns(float *out, const float *in)
{
    __shared__ float tile[32][32 + PAD];
    for (int y = threadIdx.y; y < 32; y += blockDim.y)
        tile[y][threadIdx.x] = in[y * 32 + threadIdx.x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += blockDim.y)
        out[y * 32 + threadIdx.x] = tile[threadIdx.x][y];  // expect: CU201 "`tile`" "32-way" "32 wavefronts" "where 1"
}

__global__ void doubles(double *out, const double *in)
{
    __shared__ double s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void stride_two(float *out, const float *in)
{
    __shared__ float s[128];
    s[2 * threadIdx.x] = in[threadIdx.x];  // expect: CU201 "store to `s`" "2-way"
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}

void launch(float *a, float *b, double *c, double *d)
{
    columns<0><<<1, dim3(32, 8)>>>(a, b);
    columns<1><<<1, dim3(32, 8)>>>(a, b);
    doubles<<<1, 64>>>(c, d);
    stride_two<<<1, 64>>>(a, b);
}
