// Barriers that order nothing.
__global__ void smooth(float *out, const float *in)
{
    __shared__ float tile[258];
    int i = blockIdx.x * 256 + threadIdx.x;
    tile[threadIdx.x + 1] = in[i + 1];
    if (threadIdx.x < 2)
        tile[threadIdx.x * 257] = in[i + threadIdx.x * 256];
    __syncthreads();
    float sum = tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2];
    __syncthreads();  // expect: CU902 "is redundant"
    out[i] = sum / 3.0f;
}

// at the end
__global__ void reverse(float *out, const float *in)
{
    __shared__ float tile[256];
    tile[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];
    __syncthreads();  // expect: CU902 "remove it"
}

// before anything is shared
__global__ void early(float *out, const float *in)
{
    __shared__ float tile[256];
    float x = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();  // expect: CU902
    tile[threadIdx.x] = x;
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];
}

// two at once: one of them is enough
__global__ void twice(float *out, const float *in)
{
    __shared__ float tile[256];
    tile[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();  // expect: CU902
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];
}

// each warp has a row of its own
__global__ void rows(float *out, const float *in)
{
    __shared__ float tile[8][32];
    int i = blockIdx.x * 256 + threadIdx.y * 32 + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = in[i];
    __syncthreads();  // expect: CU902 "only orders threads of one warp" "`__syncwarp()`"
    out[i] = tile[threadIdx.y][31 - threadIdx.x];
}

// one too many in each turn
__global__ void turns(float *out, const float *in, int n)
{
    __shared__ float tile[256];
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
        tile[threadIdx.x] = in[k * 16384 + blockIdx.x * 256 + threadIdx.x];
        __syncthreads();
        sum += tile[255 - threadIdx.x];
        __syncthreads();  // expect: CU902 "10 times"
        out[k * 16384 + blockIdx.x * 256 + threadIdx.x] = sum;
        __syncthreads();
    }
}

void launch(float *out, const float *in)
{
    smooth<<<64, 256>>>(out, in);
    reverse<<<64, 256>>>(out, in);
    early<<<64, 256>>>(out, in);
    twice<<<64, 256>>>(out, in);
    rows<<<64, dim3(32, 8)>>>(out, in);
    turns<<<64, 256>>>(out, in, 10);
}
