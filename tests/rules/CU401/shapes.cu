// Blocks of 16×16 threads, after section V.B of Yang et al.
#define TILE_W 16
#define TILE_H 16

// 1. No reuse: figure 4's launch of a copy. As many sectors, half the lines.
__global__ void copy(float *out, const float *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] = in[y * w + x];
}

// 2. Reuse through shared memory, with a tile whose shape follows the block's.
__global__ void smooth(float *out, const float *in, int w)
{
    __shared__ float tile[TILE_H][TILE_W + 2];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE_W + tx + 8, y = blockIdx.y * TILE_H + ty;
    tile[ty][tx + 1] = in[y * w + x];  // also: CU201
    if (tx == 0)
        tile[ty][0] = in[y * w + x - 1];
    if (tx == TILE_W - 1)
        tile[ty][TILE_W + 1] = in[y * w + x + 1];
    __syncthreads();  // expect: CU902
    out[y * w + x] = tile[ty][tx] + tile[ty][tx + 1] + tile[ty][tx + 2];  // also: CU201
}

// 3. Reuse through the cache: figure 8, the activation matrix of GPUMLib, prefers 8×32.
__global__ void activation(float *out, const float *a, const float *b, int wa, int wb)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int i = 0; i < wa; i++) {
        float d = a[x * wa + i] - b[y * wb + i];  // expect: CU101
        sum += d * d;
    }
    out[y * 512 + x] = sum;
}

// Rows of 24 bytes more than sectors: the second half row costs a sector too.
__global__ void odd_rows(float *out, const float *in)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * 1030 + x] = 2.0f * in[y * 1030 + x];  // expect: CU105; CU105
}

__global__ void stencil(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
        out[y * w + x] = in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x];  // expect: CU109
}

void launch(float *c, const float *a, const float *b)
{
    copy<<<dim3(64, 64), dim3(16, 16)>>>(c, a, 1024);  // expect: CU401 "touch 2 lines per request where 1 would do with 32×8" "sectors are the same"
    smooth<<<dim3(32, 32), dim3(TILE_W, TILE_H)>>>(c, a, 1024);  // expect: CU401 "constants changed along"
    activation<<<dim3(32, 32), dim3(16, 16)>>>(c, a, b, 512, 512);  // expect: CU401 "with 8×32" "sectors per request"
    odd_rows<<<dim3(64, 64), dim3(16, 16)>>>(c, a);  // expect: CU401 "lines per request" "sectors: "
    stencil<<<dim3(64, 64), dim3(16, 16)>>>(c, a, 1024, 1024);  // expect: CU401
}
