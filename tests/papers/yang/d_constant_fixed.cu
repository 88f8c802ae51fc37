// The tile lies in constant memory.
__constant__ float tile[16 * 128];

__global__ void product(float *c, const float *b, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum[16] = {};
    for (int k = 0; k < 128; k++) {
        float value = b[k * width + i];
        for (int row = 0; row < 16; row++)
            sum[row] += value * tile[k * 16 + row];
    }
    for (int row = 0; row < 16; row++)
        c[row * width + i] = sum[row];
}

void launch(const float *from)
{
    float *b, *c;
    cudaMalloc(&b, 128 * 65536 * sizeof(float));
    cudaMalloc(&c, 16 * 65536 * sizeof(float));
    cudaMemcpyToSymbol(tile, from, sizeof(tile));
    product<<<256, 256>>>(c, b, 65536);
}
