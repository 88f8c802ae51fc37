// Six products of square matrices, C = A B, in the order in which they are commonly taught.
#define TILE 32

// Neighbouring threads take neighbouring rows: loads of A and stores to C are scattered.
__global__ void naive(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.x * TILE + threadIdx.x % TILE, column = blockIdx.y * TILE + threadIdx.x / TILE;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

__global__ void coalesced(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.x * TILE + threadIdx.x / TILE, column = blockIdx.y * TILE + threadIdx.x % TILE;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

__global__ void tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int y = threadIdx.x / TILE, x = threadIdx.x % TILE;
    int row = blockIdx.x * TILE + y, column = blockIdx.y * TILE + x;
    float sum = 0.0f;
    for (int first = 0; first < n; first += TILE) {
        as[y][x] = a[row * n + first + x];
        bs[y][x] = b[(first + y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// Each thread makes 8 results of a column: 64 by 64 results a block, 8 of the inner dimension a step.
__global__ void column_of_eight(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[64][8], bs[8][64];
    int x = threadIdx.x % 64, y = threadIdx.x / 64;
    float sums[8] = {0};
    for (int first = 0; first < n; first += 8) {
        as[threadIdx.x / 8][threadIdx.x % 8] =
            a[(blockIdx.y * 64 + threadIdx.x / 8) * n + first + threadIdx.x % 8];
        bs[y][x] = b[(first + y) * n + blockIdx.x * 64 + x];
        __syncthreads();
        for (int k = 0; k < 8; k++) {
            float of_b = bs[k][x];
            for (int i = 0; i < 8; i++)
                sums[i] += as[y * 8 + i][k] * of_b;
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        c[(blockIdx.y * 64 + y * 8 + i) * n + blockIdx.x * 64 + x] = sums[i];
}

// Each thread makes 8 by 8 results: 128 by 128 a block of 256 threads.
__global__ void square_of_eight(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[128][8], bs[8][128];
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    float sums[8][8] = {{0}};
    for (int first = 0; first < n; first += 8) {
        for (int i = 0; i < 128; i += 32)
            as[i + threadIdx.x / 8][threadIdx.x % 8] =
                a[(blockIdx.y * 128 + i + threadIdx.x / 8) * n + first + threadIdx.x % 8];
        for (int i = 0; i < 8; i += 2)
            bs[i + threadIdx.x / 128][threadIdx.x % 128] =
                b[(first + i + threadIdx.x / 128) * n + blockIdx.x * 128 + threadIdx.x % 128];
        __syncthreads();
        for (int k = 0; k < 8; k++) {
            float of_a[8], of_b[8];
            for (int i = 0; i < 8; i++)
                of_a[i] = as[y * 8 + i][k];
            for (int j = 0; j < 8; j++)
                of_b[j] = bs[k][x * 8 + j];
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 8; j++)
                    sums[i][j] += of_a[i] * of_b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            c[(blockIdx.y * 128 + y * 8 + i) * n + blockIdx.x * 128 + x * 8 + j] = sums[i][j];
}

// The same with loads and stores of 16 bytes; A stands transposed in shared memory.
__global__ void vectors(const float4 *a, const float4 *b, float4 *c, int n)
{
    __shared__ __align__(16) float as[8][128];
    __shared__ __align__(16) float bs[8][128];
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    float sums[8][8] = {{0}};
    for (int first = 0; first < n; first += 8) {
        float4 t = a[((blockIdx.y * 128 + threadIdx.x / 2) * n + first) / 4 + threadIdx.x % 2];
        as[threadIdx.x % 2 * 4 + 0][threadIdx.x / 2] = t.x;
        as[threadIdx.x % 2 * 4 + 1][threadIdx.x / 2] = t.y;
        as[threadIdx.x % 2 * 4 + 2][threadIdx.x / 2] = t.z;
        as[threadIdx.x % 2 * 4 + 3][threadIdx.x / 2] = t.w;
        reinterpret_cast<float4 *>(bs[threadIdx.x / 32])[threadIdx.x % 32] =
            b[((first + threadIdx.x / 32) * n + blockIdx.x * 128) / 4 + threadIdx.x % 32];
        __syncthreads();
        for (int k = 0; k < 8; k++) {
            float of_a[8], of_b[8];
            for (int i = 0; i < 8; i++)
                of_a[i] = as[k][y * 8 + i];
            for (int j = 0; j < 8; j++)
                of_b[j] = bs[k][x * 8 + j];
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 8; j++)
                    sums[i][j] += of_a[i] * of_b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j += 4)
            c[((blockIdx.y * 128 + y * 8 + i) * n + blockIdx.x * 128 + x * 8 + j) / 4] =
                make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
}
