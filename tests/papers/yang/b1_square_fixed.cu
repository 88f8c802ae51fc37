// Rows of a warp.
__global__ void copy(float *to, const float *from, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    to[y * width + x] = from[y * width + x];
}

void launch(float *to, const float *from)
{
    dim3 block(32, 8);
    dim3 grid(2048 / block.x, 2048 / block.y);
    copy<<<grid, block>>>(to, from, 2048);
}
