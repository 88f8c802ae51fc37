// The block is made elsewhere, and passed: there is a better shape, and no edit of the launch.
__global__ void checker(unsigned *out, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * width + x] = ((x & 32) ? 100 : 0) | ((y & 32) ? 100 << 16 : 0);
}

extern "C" void launch_checker(dim3 grid, dim3 block, unsigned *out, int width)
{
    checker<<<grid, block>>>(out, width);  // expect: CU401 "with 32×8"
}

int main()
{
    unsigned *out;
    dim3 block(16, 16, 1);
    dim3 grid(512 / block.x, 512 / block.y, 1);
    cudaMalloc(&out, 512 * 512 * 4);
    launch_checker(grid, block, out, 512);
}
