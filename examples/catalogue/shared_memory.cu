// CU201 shared-bank-conflict: a warp reads a column of a tile whose rows are 32 words: all lanes want
// the same bank.

__global__ void transpose(float *out, const float *in, int width)
{
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    out[y * width + x] = tile[threadIdx.x][threadIdx.y];
}

void launch(float *out, const float *in)
{
    transpose<<<dim3(32, 32), dim3(32, 32)>>>(out, in, 1024);
}
