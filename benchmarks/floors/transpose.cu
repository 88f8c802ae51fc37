// Transposes of a square matrix, in the order in which they are commonly taught.
#define TILE 32

__global__ void direct(const float *in, float *out, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < n && y < n)
        out[x * n + y] = in[y * n + x];
}

// A tile, of which each thread takes TILE / ROWS elements; its rows may be padded.
template <int ROWS, int PAD>
__device__ void through_tile(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][TILE + PAD];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (int j = 0; j < TILE; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void tile(const float *in, float *out, int n) { through_tile<32, 0>(in, out, n); }
__global__ void padded(const float *in, float *out, int n) { through_tile<32, 1>(in, out, n); }
__global__ void two_rows(const float *in, float *out, int n) { through_tile<16, 1>(in, out, n); }
__global__ void four_rows(const float *in, float *out, int n) { through_tile<8, 1>(in, out, n); }
__global__ void eight_rows(const float *in, float *out, int n) { through_tile<4, 1>(in, out, n); }

// Pairs of neighbours are loaded and stored at once.
template <int ROWS>
__device__ void pairs(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * (TILE / 2) + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y, wide = n / 2;
#pragma unroll
    for (int j = 0; j < TILE; j += ROWS) {
        float2 two = reinterpret_cast<const float2 *>(in)[(y + j) * wide + x];
        tile[threadIdx.y + j][2 * threadIdx.x] = two.x;
        tile[threadIdx.y + j][2 * threadIdx.x + 1] = two.y;
    }
    __syncthreads();
    x = blockIdx.y * (TILE / 2) + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (int j = 0; j < TILE; j += ROWS)
        reinterpret_cast<float2 *>(out)[(y + j) * wide + x] = make_float2(
            tile[2 * threadIdx.x][threadIdx.y + j], tile[2 * threadIdx.x + 1][threadIdx.y + j]);
}

__global__ void pairs_of_32(const float *in, float *out, int n) { pairs<32>(in, out, n); }
__global__ void pairs_of_8(const float *in, float *out, int n) { pairs<8>(in, out, n); }
