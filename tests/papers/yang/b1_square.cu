// CU401, figures 4 and 5: 16x16 without reuse.
__global__ void copy(float *to, const float *from, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    to[y * width + x] = from[y * width + x];
}

void launch(float *to, const float *from)
{
    dim3 block(16, 16);
    dim3 grid(2048 / block.x, 2048 / block.y);
    copy<<<grid, block>>>(to, from, 2048);
}
