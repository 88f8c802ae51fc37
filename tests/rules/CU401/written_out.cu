// Tiles whose extents are numbers: edited wherever they stand, borders along.
__global__ void blur(float *out, const float *in, int w)
{
    __shared__ float t[16][18];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    t[threadIdx.y][threadIdx.x + 1] = in[y * w + x + 1];  // also: CU201
    if (threadIdx.x < 1) {
        t[threadIdx.y][0] = in[y * w + x];
        t[threadIdx.y][17] = in[y * w + x + 17];
    }
    __syncthreads();  // expect: CU902
    out[y * w + x] = t[threadIdx.y][threadIdx.x] + t[threadIdx.y][threadIdx.x + 1] + t[threadIdx.y][threadIdx.x + 2];  // also: CU201
}
void launch_blur(float *out, const float *in)
{
    dim3 block(16, 16), grid(1024 / 16, 1024 / 16);  // also: CU401
    blur<<<grid, block>>>(out, in, 1040);  // expect: CU401 "32×32"
}

template <int TILE> __global__ void copy(float *out, const float *in, int w)
{
    __shared__ float t[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    t[threadIdx.y][threadIdx.x] = in[y * w + x];  // also: CU201
    __syncthreads();
    out[y * w + x] = 2.0f * t[threadIdx.y][threadIdx.x];  // also: CU201 // undecided: CU602 (the rule's own)
}
void launch_copy(float *out, const float *in)
{
    dim3 block(16, 16), grid(1024 / 16, 1024 / 16);  // also: CU401
    copy<16><<<grid, block>>>(out, in, 1024);  // expect: CU401 "32×32"
}

__global__ void twice(float *out, const float *in, int w)
{
    __shared__ float t[32][8];
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    t[threadIdx.y][threadIdx.x] = in[y * w + x];
    __syncthreads();  // expect: CU902
    out[y * w + x] = 2.0f * t[threadIdx.y][threadIdx.x];  // expect: CU602
}
void launch_twice(float *out, const float *in)
{
    dim3 block(8, 32), grid(1024 / 8, 1024 / 32);  // also: CU402
    twice<<<grid, block>>>(out, in, 1024);  // expect: CU402 "32×8"
}
