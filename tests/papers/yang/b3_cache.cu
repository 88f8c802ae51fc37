// CU401, figures 8 and 9: reuse through the cache, best with 8x32.
__global__ void distances(float *to, const float *a, const float *b, int length_a, int length_b)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < length_a; k++) {
        float difference = a[x * length_a + k] - b[y * length_b + k];
        sum += pow(difference, 2);
    }
    to[y * gridDim.x * blockDim.x + x] = sum;
}

void launch(float *to, const float *a, const float *b)
{
    dim3 block(16, 16);
    dim3 grid(1024 / block.x, 1024 / block.y);
    distances<<<grid, block>>>(to, a, b, 1024, 1024);
}
