// Blocks whose rows are long enough, or are short for a reason.
__global__ void wide(float *out, const float *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] = in[y * w + x];
}

__global__ void one_dimension(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

// Sixteen bytes a thread: 8 of them are a line.
__global__ void vectors(float4 *out, const float4 *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] = in[y * w + x];
}

// 8×8 tiles of a picture: another shape computes something else.
__global__ void tiles(float *out, const float *in, int w)
{
    __shared__ float tile[8][8];
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * w + x];
    __syncthreads();
    out[y * w + x] = tile[7 - threadIdx.y][7 - threadIdx.x];
}

// threadIdx.y runs along the rows, in groups of threads that work together.
__global__ void flat(float *out, const float *in)
{
    int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

// A tile of 8 columns and 32 rows whose threads are counted on: no other block covers it, though
// what is added with these data leaves the same bytes.
__global__ void counted_on(float *out, const float *in, int w)
{
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    out[y * w + x] += 0.0f * in[y * w + x];
}

void launch(float *out, const float *in, float4 *v)
{
    counted_on<<<dim3(128, 32), dim3(8, 32)>>>(out, in, 1024);
    wide<<<dim3(16, 256), dim3(64, 4)>>>(out, in, 1024);
    one_dimension<<<4096, 256>>>(out, in);
    vectors<<<dim3(128, 32), dim3(8, 32)>>>(v, v, 1024);
    tiles<<<dim3(128, 128), dim3(8, 8)>>>(out, in, 1024);
    flat<<<4096, dim3(8, 32)>>>(out, in);
}
