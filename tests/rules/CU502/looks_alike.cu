// Constant memory as it is meant: one address a warp.
__constant__ float filter[65];
__constant__ float weight[1024];
__constant__ int width;
__constant__ float row_factor[64];
__constant__ float table[256];

__global__ void convolve(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 65; k++)
        sum += filter[k] * in[i + k];  // expect: CU109
    out[i] = sum;
}

__global__ void scalar(float *out, const float *in)
{
    int i = blockIdx.y * width + blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

// a warp is one row of the block
__global__ void by_row(float *out, const float *in)
{
    int i = threadIdx.y * 32 + threadIdx.x;
    out[i] = in[i] * row_factor[threadIdx.y];  // refuted: CU502 (nothing wasted)
}

__global__ void by_warp(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * weight[i / 32];
}

// copied to where it may be read at random, once for much other work
__global__ void through_shared(float *out, const int *in, int n)
{
    __shared__ float copy[256];
    copy[threadIdx.x] = table[threadIdx.x];  // undecided: CU502 (the rule's own) "to shared memory, once"
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += copy[(k + threadIdx.x) & 255] * in[k * 256 + threadIdx.x];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// a short kernel's table, filled before it is read at random
__global__ void transform(float *out, const float *in)
{
    __shared__ float basis[64], block[64];
    int x = threadIdx.x, y = threadIdx.y, k = y * 8 + x;
    basis[k] = table[k];  // undecided: CU502 (the rule's own) "to shared memory, once"
    block[k] = in[blockIdx.x * 64 + k];
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < 8; i++)
        sum += basis[i * 8 + x] * block[y * 8 + i];
    out[blockIdx.x * 64 + k] = sum;
}

// a thread's own factor, before as many turns as data say
__global__ void smallest(float *out, const int *first, const float *in)
{
    float factor = table[threadIdx.x], low = 1e30f;  // undecided: CU502 (invented data decides) "trip counts"
    for (int i = first[blockIdx.x]; i < first[blockIdx.x + 1]; i++)
        low = min(low, in[i] * factor);
    out[blockIdx.x * blockDim.x + threadIdx.x] = low;
}

// which corners lie above the level: in a smooth field the same for nearly all of a warp
__constant__ int sides[16];

__global__ void contour(int *out, const float *field, int n, float level)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int corners = (field[i] > level) | (field[i + 1] > level) << 1;
    corners |= (field[n + i] > level) << 2 | (field[n + i + 1] > level) << 3;
    out[i] = sides[corners];  // undecided: CU502 (the rule's own) "come out alike"
}

// an image whose rows move by a little: all of a warp are in the row that they come from, or beside
struct Turn {
    float w, x, y, z;
};
__constant__ Turn turns[300];

__global__ void unrolled(float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float row = y;
    for (int turn = 0; turn < 3; turn++) {
        Turn t = turns[(int)floorf(fminf(fmaxf(row, 0.0f), h - 1.0f))];  // undecided: CU502 (the rule's own) "may lie in one"
        row = t.w * y + t.x * x + t.y;
    }
    out[y * w + x] = row;
}

void launch(float *f, const float *g, const int *in, int *sums)
{
    unrolled<<<dim3(12, 36), dim3(32, 8)>>>(f, 384, 288);
    contour<<<63, 256>>>(sums, g, 16384, 0.5f);
    convolve<<<64, 256>>>(f, g);
    scalar<<<64, 256>>>(f, g);
    by_row<<<1, dim3(32, 8)>>>(f, g);
    by_warp<<<64, 256>>>(f, g);
    through_shared<<<64, 256>>>(f, in, 1000);
    transform<<<64, dim3(8, 8)>>>(f, g);
    smallest<<<64, 64>>>(f, in, g);
}
