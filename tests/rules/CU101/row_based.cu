// Yang, Xiang, Mantor, Zhou, figure 3b: each thread sums a row of its own; and its fix.
#define TILE 32

__global__ void row_sums(float *output, const float *input, int width)
{
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < width; i++)
        sum += input[gid * width + i];  // expect: CU101 "32 sectors" "walks along a row of `input`"
    output[gid] = sum;
}

__global__ void long_rows(float *output, const float *input)
{
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < 32; i++)
        sum += input[gid * 32 + i];  // expect: CU101 "32 sectors" "128 bytes apart"
    output[gid] = sum;
}

__global__ void through_shared_memory(float *output, const float *input, int width)
{
    __shared__ float tile[TILE][TILE + 1];
    int first = blockIdx.x * TILE;
    float sum = 0;
    for (int start = 0; start < width; start += TILE) {
        for (int row = 0; row < TILE; row++)
            tile[row][threadIdx.x] = input[(first + row) * width + start + threadIdx.x];  // ok
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += tile[threadIdx.x][i];
        __syncthreads();
    }
    output[first + threadIdx.x] = sum;
}

void launch(float *out, const float *in)
{
    row_sums<<<64, 256>>>(out, in, 512);
    long_rows<<<64, 256>>>(out, in);
    through_shared_memory<<<64, TILE>>>(out, in, 512);
}
