// Tiles with halos, reversed and anti-diagonal walks: addresses with negative offsets.

#define R 3

// A window of 2 R + 1 around each element, the block's edges loaded by its first lanes.
extern "C" __global__ void blur(const int *in, int *out, int n)
{
    __shared__ int tile[128 + 2 * R];
    int t = threadIdx.x, at = blockIdx.x * blockDim.x + t;
    tile[t + R] = at < n ? in[at] : 0;
    if (t < R) {
        tile[t] = at - R >= 0 ? in[at - R] : 0;
        int behind = at + blockDim.x;
        tile[t + R + blockDim.x] = behind < n ? in[behind] : 0;
    }
    __syncthreads();
    int sum = 0;
    for (int k = -R; k <= R; k++) sum += (k + R + 1) * tile[t + R + k];
    if (at < n) out[at] = sum;
}

// A five-point stencil of 16 by 16 with a halo of one.
extern "C" __global__ void stencil(const int *in, int *out, int n)
{
    __shared__ int tile[18][18];
    int x = threadIdx.x, y = threadIdx.y;
    int i = blockIdx.y * 16 + y, j = blockIdx.x * 16 + x;
    tile[y + 1][x + 1] = in[i * n + j];
    if (x == 0) tile[y + 1][0] = j > 0 ? in[i * n + j - 1] : 0;
    if (x == 15) tile[y + 1][17] = j + 1 < n ? in[i * n + j + 1] : 0;
    if (y == 0) tile[0][x + 1] = i > 0 ? in[(i - 1) * n + j] : 0;
    if (y == 15) tile[17][x + 1] = i + 1 < n ? in[(i + 1) * n + j] : 0;
    __syncthreads();
    out[i * n + j] = 4 * tile[y + 1][x + 1] - tile[y][x + 1] - 2 * tile[y + 2][x + 1]
                   - 3 * tile[y + 1][x] - 5 * tile[y + 1][x + 2];
}

// The block's elements in reverse; the index is below 0 until the offset is added.
extern "C" __global__ void reversed(const int *in, int *out, unsigned n)
{
    __shared__ int part[256];
    unsigned t = threadIdx.x;
    part[blockDim.x - 1 - t] = in[n - 1 - (blockIdx.x * blockDim.x + t)];
    __syncthreads();
    out[n - blockDim.x * (blockIdx.x + 1) + t] = part[t];
    if (t > 0) part[255 - t] += t;
    __syncthreads();
    out[n + n - blockDim.x * (blockIdx.x + 1) + t] = part[255 - t];
}

// Needleman and Wunsch's table of 16 by 16 by its anti-diagonals, as Rodinia walks it.
extern "C" __global__ void align(const int *score, int *table, int penalty)
{
    __shared__ int temp[17][17];
    __shared__ int ref[16][16];
    int t = threadIdx.x;
    if (t == 0) temp[0][0] = 0;
    for (int y = 0; y < 16; y++) ref[y][t] = score[y * 16 + t];
    temp[t + 1][0] = -penalty * (t + 1);
    temp[0][t + 1] = -penalty * (t + 1);
    __syncthreads();
    for (int m = 0; m < 16; m++) {
        if (t <= m) {
            int x = t + 1, y = m - t + 1;
            temp[y][x] = max(temp[y - 1][x - 1] + ref[y - 1][x - 1],
                             max(temp[y][x - 1] - penalty, temp[y - 1][x] - penalty));
        }
        __syncthreads();
    }
    for (int m = 14; m >= 0; m--) {
        if (t <= m) {
            int x = t + 16 - m, y = 16 - t;
            temp[y][x] = max(temp[y - 1][x - 1] + ref[y - 1][x - 1],
                             max(temp[y][x - 1] - penalty, temp[y - 1][x] - penalty));
        }
        __syncthreads();
    }
    for (int y = 0; y < 16; y++) table[y * 16 + t] = temp[y + 1][t + 1];
}
