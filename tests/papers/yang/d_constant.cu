// CU501, figure 14: a small tile that all lanes read at one address.
__global__ void product(float *c, const float *b, const float *a, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum[16] = {};
    for (int k = 0; k < 128; k++) {
        float value = b[k * width + i];
        for (int row = 0; row < 16; row++)
            sum[row] += value * a[k * 16 + row];
    }
    for (int row = 0; row < 16; row++)
        c[row * width + i] = sum[row];
}

void launch(const float *values)
{
    float *a, *b, *c;
    cudaMalloc(&a, 16 * 128 * sizeof(float));
    cudaMalloc(&b, 128 * 65536 * sizeof(float));
    cudaMalloc(&c, 16 * 65536 * sizeof(float));
    cudaMemcpy(a, values, 16 * 128 * sizeof(float), cudaMemcpyHostToDevice);
    product<<<256, 256>>>(c, b, a, 65536);
}
