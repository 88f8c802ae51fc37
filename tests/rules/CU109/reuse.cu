// Bytes that the threads of one block load again: Yang, Xiang, Mantor, Zhou, figures 3c, 4 and 6.
#define TILE 16

__global__ void shared_pattern(float *output, const float *input)
{
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    int delta = 1;
    float a_0 = input[gid + delta + 16];  // expect: CU109 "each byte of `input` 3 times" "halo"
    float a_1 = input[gid + 16];
    float a_2 = input[gid - delta + 16];
    output[gid] = a_0 + a_1 + a_2;
}

__global__ void naive_product(float *c, const float *a, const float *b, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];  // expect: CU109 "each byte of `b` 8 times" "tile by tile"
    c[y * n + x] = sum;
}

__global__ void five_points(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < n - 1 && y > 0 && y < n - 1)
        out[y * n + x] = in[y * n + x] + in[y * n + x - 1] +  // expect: CU109 "`in`"
                         in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x];
}

__global__ void convolution(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 17; k++)
        sum += in[i + k] * (0.1f + k);  // expect: CU109 "each byte of `in`"
    out[i] = sum;
}

__global__ void differences(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int j = 0; j < n; j++) {
        float d = in[j * n + x] - in[j * n + y];  // expect: CU109 "`in`"
        sum += d * d;
    }
    out[y * n + x] = sum;
}

// --- what looks alike

__global__ void through_shared_memory(float *output, const float *input)
{
    __shared__ float tile[256 + 2];
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = input[gid + 16];  // ok
    if (threadIdx.x < 2)
        tile[256 + threadIdx.x] = input[gid + 16 + 256];
    __syncthreads();
    output[gid] = tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2];
}

__global__ void tiled_product(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    float sum = 0.0f;
    for (int k = 0; k < n; k += TILE) {
        as[ty][tx] = a[y * n + k + tx];  // ok
        bs[ty][tx] = b[(k + ty) * n + x];  // ok
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

__global__ void copy_2d(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * n + x] = in[y * n + x];  // ok
}

__global__ void matrix_vector(float *out, const float *a, const float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int j = 0; j < n; j++)
        sum += a[j * n + i] * v[j];  // ok: one word for all lanes, beside 32 of the matrix  // expect: CU501  // also: CU404
    out[i] = sum;
}

__global__ void own_again(float *out, const float *in, const float *more, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        out[i + k * n] = in[i] + k;  // ok: a thread loads its own again  // expect: CU503
}

__global__ void columns(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += in[k * n + i];  // ok: each byte once  // also: CU404
    out[i] = sum;
}

__global__ void redundant(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += in[k * n + i];  // ok: the threads of a column all do the same, which no tile helps  // also: CU404
    out[i] = sum;
}

__global__ void row_added(float *out, const float *in, const float *row, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] = in[y * w + x] + row[x];  // ok: a third of what is moved, and packed  // refuted: CU109 (too small to report)
}

void launch(float *a, float *b, float *c)
{
    shared_pattern<<<64, 256>>>(a, b);
    naive_product<<<dim3(16, 16), dim3(16, 16)>>>(a, b, c, 256);
    five_points<<<dim3(32, 128), dim3(32, 8)>>>(a, b, 1024);
    convolution<<<64, 256>>>(a, b, 16384);
    differences<<<dim3(8, 32), dim3(32, 8)>>>(a, b, 256);
    through_shared_memory<<<64, 256>>>(a, b);
    tiled_product<<<dim3(16, 16), dim3(16, 16)>>>(a, b, c, 256);
    copy_2d<<<dim3(64, 64), dim3(16, 16)>>>(a, b, 1024);  // expect: CU401
    matrix_vector<<<4, 256>>>(a, b, c, 1024);  // expect: CU404
    own_again<<<64, 256>>>(a, b, c, 256);
    columns<<<4, 256>>>(a, b, 1024);  // expect: CU404
    redundant<<<32, dim3(32, 8)>>>(a, b, 1024);  // expect: CU404
    row_added<<<dim3(32, 128), dim3(32, 8)>>>(a, b, c, 1024);
}

// Its end is not reached: what is told is of the turns that were run.
__global__ void products(const float *data, float *out, int n)  // expect: CU002 "only in part"
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= n)
        return;
    for (int other = column; other < n; other++) {
        float sum = 0;
        for (int row = 0; row < n; row++)
            sum += data[row * n + column] * data[row * n + other]; // expect: CU109 "are distinct, in the turns that were run"  // also: CU404
        out[column * n + other] = sum;  // undecided: CU101 (the rule's own)
    }
}

void launch_products(const float *data, float *out) { products<<<8, 256>>>(data, out, 2048); }  // expect: CU404
