// Lanes of one warp that exchange data through shared memory with nothing between.
__global__ void unrolled_tail(float *out, const float *in)
{
    __shared__ float parts[256];
    int t = threadIdx.x;
    parts[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int s = 128; s > 32; s >>= 1) {
        if (t < s)
            parts[t] += parts[t + s];
        __syncthreads();
    }
    if (t < 32) {
        volatile float *part = parts;
        part[t] += part[t + 32];
        part[t] += part[t + 16];  // expect: CU904 "`volatile` orders the accesses of one thread" "between the halves of a statement"
        if (t == 0)
            out[blockIdx.x] = part[0];
    }
}

// The warp's first lane stores what all of them load.
__global__ void first_lane(int *out, const int *in)
{
    __shared__ volatile int first[8];
    int i = blockIdx.x * 256 + threadIdx.x, warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0)
        first[warp] = in[i];
    out[i] = in[i] - first[warp];  // expect: CU904 "31 lanes per request"
}

// A prefix sum in steps, as the first GPUs had it: each lane loads before its warp's stores.
__global__ void scan(double *out, const double *in)
{
    __shared__ volatile double line[2][64];
    int t = threadIdx.x;
    line[0][t] = 0.0;
    line[0][t + 32] = in[blockIdx.x * 32 + t];
    for (int step = 1; step < 32; step *= 2)
        line[0][t + 32] = line[0][t + 32] + line[0][t + 32 - step];  // expect: CU904
    out[blockIdx.x * 32 + t] = line[0][t + 32];
}

// All on one line: the compiler gives the accesses the first statement's place.
__global__ void one_line(float *out, const float *in)
{
    __shared__ volatile float part[64];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    if (t < 32) {
        part[t] += part[t + 32]; part[t] += part[t + 16]; part[t] += part[t + 8];  // expect: CU904
    }
    out[blockIdx.x * 64 + t] = part[t];
}

// A halo: beside a cell a lane of the warp stored, above and below it another warp.
__global__ void halo(float *out, const float *in)
{
    __shared__ float tile[34][34];
    int x = threadIdx.x + 1, y = threadIdx.y + 1, i = threadIdx.y * 32 + threadIdx.x;
    tile[y][x] = in[i];
    out[i] = tile[y][x - 1] + tile[y][x + 1] +  // expect: CU904 "put `__syncthreads()` between the store at line 62 and the load" "other warps store"
             tile[y - 1][x] + tile[y + 1][x];
}

// Rows of a warp each: its own barrier does, though the block's waits for other rows.
__global__ void own_rows(float *out, const float *in)
{
    __shared__ float rows[8][33];
    int i = threadIdx.y * 32 + threadIdx.x;
    rows[threadIdx.y][threadIdx.x] = in[i];
    out[i] = rows[threadIdx.y][31 - threadIdx.x];  // expect: CU904 "put `__syncwarp()` between the store at line 72 and the load"
    __syncthreads();
    rows[threadIdx.y][threadIdx.x] = out[i];
    __syncthreads();
    out[i + 256] = rows[7 - threadIdx.y][threadIdx.x];
}

void launch(float *out, const float *in, int *j, const int *l, double *d, const double *e)
{
    unrolled_tail<<<1024, 256>>>(out, in);
    first_lane<<<1024, 256>>>(j, l);
    scan<<<1024, 32>>>(d, e);
    one_line<<<1024, 64>>>(out, in);
    halo<<<1, dim3(32, 32)>>>(out, in);
    own_rows<<<1, dim3(32, 8)>>>(out, in);
}
