// Shared arrays that threads use to speak to each other, or that no register can hold.
__global__ void reverse(float *out, const float *in)
{
    __shared__ float tile[256];
    tile[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];
}

__global__ void tree(float *out, const float *in)
{
    __shared__ float sums[256];
    sums[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (threadIdx.x < s)
            sums[threadIdx.x] += sums[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = sums[0];
}

// indexed by data: registers cannot be
__global__ void histogram(int *out, const int *in, int n)
{
    __shared__ int bins[16][256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int c = 0; c < 16; c++)
        bins[c][threadIdx.x] = 0;
    for (int k = 0; k < n; k++)
        bins[in[k * 16384 + i] & 15][threadIdx.x]++;
    int best = 0;
    for (int c = 0; c < 16; c++)
        best = max(best, bins[c][threadIdx.x]);
    out[i] = best;
}

// 512 bytes a thread
__global__ void large(float *out, const float *in)
{
    __shared__ float v[128][64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 128; k++)
        v[k][threadIdx.x] = in[k * 4096 + i];
    float sum = 0.0f;
    for (int k = 0; k < 128; k++)
        sum += v[k][threadIdx.x] * v[127 - k][threadIdx.x];
    out[i] = sum;
}

// what one thread computes for all
__global__ void announced(float *out, const float *in)
{
    __shared__ float scale;
    if (threadIdx.x == 0)
        scale = 1.0f / in[blockIdx.x];
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = in[threadIdx.x] * scale;
}

void launch(float *out, const float *in, int *i, const int *j)
{
    reverse<<<64, 256>>>(out, in);
    tree<<<64, 256>>>(out, in);
    histogram<<<64, 256>>>(i, j, 50);
    large<<<64, 64>>>(out, in);
    announced<<<64, 256>>>(out, in);
}
