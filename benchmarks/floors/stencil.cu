// Weighted sums of square windows of an image, three ways. The window's width comes as an argument.
#define MOST 15

__constant__ float weights[MOST * MOST];

__device__ float limited(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }

// Windows and weights from global memory.
__global__ void direct(const float *in, float *out, const float *weight, int size, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size || y >= size) return;
    float sum = 0.0f;
    int left = x - width / 2, top = y - width / 2;
    for (int j = 0; j < width; j++)
        for (int i = 0; i < width; i++)
            if (top + j >= 0 && top + j < size && left + i >= 0 && left + i < size)
                sum += in[(top + j) * size + left + i] * weight[j * width + i];
    out[y * size + x] = limited(sum);
}

// Weights from constant memory.
__global__ void constant(const float *in, float *out, const float *, int size, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size || y >= size) return;
    float sum = 0.0f;
    int left = x - width / 2, top = y - width / 2;
    for (int j = 0; j < width; j++)
        for (int i = 0; i < width; i++)
            if (top + j >= 0 && top + j < size && left + i >= 0 && left + i < size)
                sum += in[(top + j) * size + left + i] * weights[j * width + i];
    out[y * size + x] = limited(sum);
}

// A block's tile with its halo in shared memory; threads of the halo compute nothing.
__global__ void tiled(const float *in, float *out, const float *, int size, int width)
{
    extern __shared__ float tile[];
    int inner = blockDim.x - width + 1, i = threadIdx.x, j = threadIdx.y;
    int x = blockIdx.x * inner + i, y = blockIdx.y * inner + j;
    int from = x - width / 2, row = y - width / 2;
    bool inside = from >= 0 && from < size && row >= 0 && row < size;
    tile[j * blockDim.x + i] = inside ? in[row * size + from] : 0.0f;
    __syncthreads();
    if (i >= inner || j >= inner || x >= size || y >= size) return;
    float sum = 0.0f;
    for (int b = 0; b < width; b++)
        for (int a = 0; a < width; a++)
            sum += tile[(j + b) * blockDim.x + i + a] * weights[b * width + a];
    out[y * size + x] = limited(sum);
}
