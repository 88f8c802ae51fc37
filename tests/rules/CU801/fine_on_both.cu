// --arch sm_13 --arch sm_80
// What neither 16 nor 32 banks mind, and what both do.
__global__ void thirty_three(float *out, const float *in)
{
    __shared__ float tile[32][33];
    for (int y = threadIdx.y; y < 32; y += 8)
        tile[y][threadIdx.x] = in[y * 32 + threadIdx.x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8)
        out[y * 32 + threadIdx.x] = tile[threadIdx.x][y];
}

__global__ void swizzled(float *out, const float *in)
{
    __shared__ float tile[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x ^ y] = in[y * 16 + x];
    __syncthreads();
    out[y * 16 + x] = tile[x][y ^ x];
}

__global__ void broadcast(float *out, const float *in)
{
    __shared__ float row[256];
    row[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 256; k++)  // expect: CU906
        sum = sum * 0.5f + row[k];
    out[threadIdx.x] = sum;
}

__global__ void reversed(float *out, const float *in)
{
    __shared__ float row[256];
    row[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = row[255 - threadIdx.x];
}

// bad on both, and padding leaves nothing on either
__global__ void columns(float *out, const float *in)
{
    __shared__ float tile[32][32];
    for (int y = threadIdx.y; y < 32; y += 8)
        tile[y][threadIdx.x] = in[y * 32 + threadIdx.x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8)
        out[y * 32 + threadIdx.x] = tile[threadIdx.x][y];  // expect: CU201 "from 32 to 33" "padded, no conflict on sm_80" "fall from 1088 to 128" "on sm_80: load from"
}

void launch(float *f, const float *g)
{
    thirty_three<<<1, dim3(32, 8)>>>(f, g);
    swizzled<<<1, dim3(16, 16)>>>(f, g);
    broadcast<<<1, 256>>>(f, g);
    reversed<<<1, 256>>>(f, g);
    columns<<<1, dim3(32, 8)>>>(f, g);
}
