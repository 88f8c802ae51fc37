// Fixes edit the host code: what it launches is read again, and must be the same threads.
#define TILE 16
#define BLOCK 16

__device__ int column() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ int row() { return blockIdx.y * blockDim.y + threadIdx.y; }

__global__ void written_out(float *to, const float *from)
{
    to[row() * 1024 + column()] = from[row() * 1024 + column()];
}

__global__ void rounded_up(float *to, const float *from, int w, int h)
{
    if (column() < w && row() < h)
        to[row() * w + column()] = from[row() * w + column()];
}

__global__ void named(float *to, const float *from, int w, int h)
{
    if (column() < w && row() < h)
        to[row() * w + column()] = from[row() * w + column()];
}

__global__ void in_variables(float *to, const float *from, int w, int h)
{
    if (column() < w && row() < h)
        to[row() * w + column()] = from[row() * w + column()];
}

__global__ void by_members(float *to, const float *from)
{
    to[row() * 512 + column()] = from[row() * 512 + column()];
}

// No condition leaves out the threads that a rounded grid has too many.
__global__ void unguarded(float *to, const float *from, int w)
{
    to[row() * w + column()] = from[row() * w + column()];
}

// The constant is another kernel's, too.
__global__ void tile_of_both(float *to, const float *from)
{
    __shared__ float tile[TILE][TILE];
    tile[threadIdx.y][threadIdx.x] = from[(blockIdx.y * TILE + threadIdx.y) * 512 + blockIdx.x * TILE + threadIdx.x];
    __syncthreads();  // expect: CU902
    to[(blockIdx.y * TILE + threadIdx.y) * 512 + blockIdx.x * TILE + threadIdx.x] = tile[threadIdx.y][threadIdx.x];  // expect: CU602
}

__global__ void rows_of_tiles(float *to, const float *from)
{
    to[blockIdx.x * TILE + threadIdx.x] = from[blockIdx.x * TILE + threadIdx.x];
}

__global__ void passed(float *to, const float *from, int w, int h)
{
    if (column() < w && row() < h)
        to[row() * w + column()] = from[row() * w + column()];
}

#define SIDE 16
// Beyond the tiles, a block's threads are compared with both extents along its own axes.
__global__ void transposed(float *to, const float *from, int w, int h)
{
    __shared__ float tile[SIDE][SIDE + 1];
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    if (x < w && y < h)
        tile[threadIdx.y][threadIdx.x] = from[y * w + x]; // also: CU201
    __syncthreads();
    x = blockIdx.y * SIDE + threadIdx.x, y = blockIdx.x * SIDE + threadIdx.y;
    if (x < h && y < w)
        to[y * h + x] = tile[threadIdx.x][threadIdx.y]; // also: CU201
}

void with_extents(dim3 many, dim3 each, float *to, const float *from, int w, int h)
{
    passed<<<many, each>>>(to, from, w, h); // expect: CU401 "with 32×8"
}

void launch(float *to, const float *from, int w, int h)
{
    written_out<<<dim3(64, 64), dim3(16, 16)>>>(to, from); // expect: CU401 "with 32×8"
    dim3 block(16, 16);  // also: CU401
    dim3 grid((w + 15) / 16, (h + 15) / 16);
    rounded_up<<<grid, block>>>(to, from, w, h); // expect: CU401 "with 32×8"
    dim3 blocks(BLOCK, BLOCK), many((w + BLOCK - 1) / BLOCK, (h + BLOCK - 1) / BLOCK);  // also: CU401
    named<<<many, blocks>>>(to, from, w, h); // expect: CU401 "with 32×8"
    int across = (w + 15) / 16, down = (h - 1) / 16 + 1;
    dim3 all(across, down);
    in_variables<<<all, block>>>(to, from, w, h); // expect: CU401 "with 32×8"
    dim3 own, of;
    own.x = 16;  // also: CU401
    own.y = 16;  // also: CU401
    of.x = 512 / own.x;
    of.y = 512 / own.y;
    by_members<<<of, own>>>(to, from); // expect: CU401 "with 32×8"
    unguarded<<<grid, block>>>(to, from, w); // expect: CU401 "with 32×8"
    tile_of_both<<<dim3(32, 32), dim3(TILE, TILE)>>>(to, from); // expect: CU401 "with 32×32"
    rows_of_tiles<<<32, TILE>>>(to, from);
    with_extents(grid, block, to, from, w, h);
    dim3 side(SIDE, SIDE), sides((w + SIDE - 1) / SIDE, (h + SIDE - 1) / SIDE);  // also: CU401
    transposed<<<sides, side>>>(to, from, w, h); // expect: CU401 "with 32×32"
}
