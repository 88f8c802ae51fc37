// A tile of which each thread writes and reads its own rows: its turns stay, and the compiler unrolls them.
#define SIDE 32
#define ROWS 8

__global__ void through_a_tile(float *to, const float *from, int width)
{
    __shared__ float tile[SIDE][SIDE + 1];
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    for (int i = 0; i < SIDE; i += ROWS)
        if (x < width)
            tile[threadIdx.y + i][threadIdx.x] = from[(y + i) * width + x];
    __syncthreads();  // expect: CU902
    for (int i = 0; i < SIDE; i += ROWS)
        if (x < width)
            to[(y + i) * width + x] = 2.0f * tile[threadIdx.y + i][threadIdx.x];  // expect: CU602 "16 bytes"
}

// two steps through one tile
__global__ void by_two_steps(float *to, const float *from, int width)
{
    __shared__ float tile[SIDE][SIDE + 1];
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    for (int i = 0; i < SIDE; i += 8)
        tile[threadIdx.y + i][threadIdx.x] = from[(y + i) * width + x];
    __syncthreads();  // expect: CU902
    for (int i = 0; i < SIDE; i += 16)
        to[(y + i) * width + x] = 2.0f * tile[threadIdx.y + i][threadIdx.x];  // expect: CU602
}

void launch(float *to, const float *from)
{
    through_a_tile<<<dim3(32, 32), dim3(SIDE, ROWS)>>>(to, from, 1024);
    by_two_steps<<<dim3(32, 32), dim3(SIDE, ROWS)>>>(to, from, 1024);
}
