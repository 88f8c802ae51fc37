// CU404, figure 10: one thread for each column of 1,024.
__global__ void product(float *to, const float *a, const float *b, int width, int height)
{
    __shared__ float part[256];
    int x = blockIdx.x * 256 + threadIdx.x;
    float sum = 0.0f;
    for (int at = 0; at < height; at += 256) {
        part[threadIdx.x] = b[at + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 256; k++)
            sum += a[(at + k) * width + x] * part[k];
        __syncthreads();
    }
    to[x] = sum;
}

void launch(float *to, const float *a, const float *b) { product<<<4, 256>>>(to, a, b, 1024, 1024); }
