// The same rule, and another remedy for each way to meet in a bank.
__global__ void pairs(float *out)
{
    __shared__ float pair[512];
    pair[threadIdx.x] = threadIdx.x;
    pair[threadIdx.x + 256] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = pair[2 * threadIdx.x];  // expect: CU201 "2-way" "an array of its own"
}

__global__ void bytes(unsigned char *out)
{
    __shared__ unsigned char tile[32][32];
    for (int y = threadIdx.y; y < 32; y += blockDim.y)
        tile[y][threadIdx.x] = y;
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += blockDim.y)
        out[y * 32 + threadIdx.x] = tile[threadIdx.x][y];  // expect: CU201 "8-way" "by 4 bytes"  // undecided: CU103 (the rule's own)
}

void launch(float *out, unsigned char *small)
{
    pairs<<<1, 256>>>(out);
    bytes<<<1, dim3(32, 8)>>>(small);
}
