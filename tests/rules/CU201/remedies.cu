// What frees an array, as computed: padding with its edit, exchanged columns, another block.
#define TILE 32
__global__ void transpose(float *out, const float *in, int n)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8)
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];  // expect: CU201 "by one element, from 32 to 33" "so does `column ^ row`" "fall from 4224 to 256"
}

// Yang's favourite shape: two rows of the block are one warp, and no padding serves both directions
__global__ void sixteen(float *out, const float *in)
{
    __shared__ float tile[16][16];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];  // expect: CU201 "no padding frees `tile`" "16 threads wide" "a block of 32×8 threads with rows of 33"
}

__global__ void doubles(double *out, const double *in)
{
    __shared__ double tile[32][32];
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(threadIdx.y + j) * 32 + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 32; j += 8)
        out[(threadIdx.y + j) * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y + j];  // expect: CU201 "by one element" "fall from 1088 to 128"
}

// one dimension: its declaration says nothing of rows
__global__ void flat(float *out, const float *in)
{
    __shared__ float tile[1024];
    for (int j = 0; j < 32; j += 8)
        tile[(threadIdx.y + j) * 32 + threadIdx.x] = in[(threadIdx.y + j) * 32 + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 32; j += 8)
        out[(threadIdx.y + j) * 32 + threadIdx.x] = tile[threadIdx.x * 32 + threadIdx.y + j];  // expect: CU201 "from 32 to 33"
}

// vectors of four: a row of 8 of them
__global__ void vectors(float4 *out, const float4 *in)
{
    __shared__ float4 rows[32][8];
    rows[threadIdx.y][threadIdx.x] = in[threadIdx.y * 8 + threadIdx.x];
    __syncthreads();
    int t = threadIdx.y * 8 + threadIdx.x;
    out[t] = rows[t % 32][t / 32];  // expect: CU201 "`rows`" "from 8 to 9"
}

// What makes the conflicts is the padding: a warp spans two rows, and walks along them only.
#define SMALL 16
__global__ void padded_in_vain(float *out, const float *in)
{
    __shared__ float tile[SMALL][SMALL + 1];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x];  // expect: CU201 "shorten the rows of `tile` by one element, from 17 to 16" "results stay"
    __syncthreads();
    out[threadIdx.y * 16 + threadIdx.x] = tile[15 - threadIdx.y][threadIdx.x];  // also: CU201
}

// ok: free by padding, by exchange, by the block's shape, for they broadcast, and the two halves of
// doubles are served one after the other
__global__ void free_of_them(float *out, const float *in, const double *wide)
{
    __shared__ float padded[32][33], exchanged[16][16];
    __shared__ double pairs[256];
    int t = threadIdx.y * 32 + threadIdx.x, x = t % 16, y = t / 16;
    for (int j = 0; j < 32; j += 8)
        padded[threadIdx.y + j][threadIdx.x] = in[(threadIdx.y + j) * 32 + threadIdx.x];
    exchanged[y][x ^ y] = in[t];
    pairs[t] = wide[t];
    __syncthreads();
    float sum = padded[threadIdx.x][threadIdx.y] + exchanged[x][y ^ x] + (float)pairs[255 - t];
    for (int k = 0; k < 16; k++)
        sum = sum * 0.5f + exchanged[threadIdx.y][k] + padded[k][threadIdx.x];
    out[t] = sum;
}

// The block's threads are counted along y first.
__global__ void y_first(float *out, const float *in)
{
    __shared__ float part[1024];
    int mine = threadIdx.x * blockDim.y + threadIdx.y;
    part[mine] = in[blockIdx.x * 1024 + threadIdx.y * 32 + threadIdx.x];  // expect: CU201 "`threadIdx.y * blockDim.x + threadIdx.x`"
    __syncthreads();
    for (int s = 512; s > 0; s /= 2) {
        if (mine < s)
            part[mine] += part[mine + s];  // also: CU201
        __syncthreads();
    }
    if (mine == 0)
        out[blockIdx.x] = part[0];
}

void launch(float *f, const float *g, double *d, const double *e, float4 *v, const float4 *w)
{
    transpose<<<dim3(32, 32), dim3(32, 8)>>>(f, g, 1024);
    sixteen<<<1, dim3(16, 16)>>>(f, g);
    padded_in_vain<<<1, dim3(16, 16)>>>(f, g);
    doubles<<<1, dim3(32, 8)>>>(d, e);
    flat<<<1, dim3(32, 8)>>>(f, g);
    vectors<<<1, dim3(8, 32)>>>(v, w);
    free_of_them<<<1, dim3(32, 8)>>>(f, g, e);
    y_first<<<1024, dim3(32, 32)>>>(f, g);
}
