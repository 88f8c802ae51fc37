// rules: CU902
// Barriers that order nothing, or only the threads of one warp.
__global__ void paragraphs(float *out, const float *in)
{
    __shared__ float tile[256];

    float x = in[blockIdx.x * 256 + threadIdx.x];

    __syncthreads();  // for whatever comes

    tile[threadIdx.x] = x;
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];

    __syncthreads();
}

__global__ void beside_others(float *out, const float *in)
{
    float x = in[threadIdx.x]; __syncthreads(); /* why? */
    out[threadIdx.x] = x;
    if (out)
        __syncthreads();
}

__global__ void rows(float *out, const float *in)
{
    __shared__ float tile[8][32];
    int i = blockIdx.x * 256 + threadIdx.y * 32 + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = in[i];
    __syncthreads();
    out[i] = tile[threadIdx.y][31 - threadIdx.x];
}

// which bytes they are depends on the block, and only a few blocks are run
__global__ void by_block(float *out, const float *in)
{
    __shared__ float tile[512];
    float x = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    tile[threadIdx.x + blockIdx.x % 256] = x;
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x + blockIdx.x % 256];
}

void launch(float *out, const float *in)
{
    paragraphs<<<64, 256>>>(out, in);
    beside_others<<<1, 256>>>(out, in);
    rows<<<64, dim3(32, 8)>>>(out, in);
    by_block<<<512, 256>>>(out, in);
}
