// C = A B for 64 x 64 floats: 8 x 8 threads, 8 x 8 blocks (Horga et al., Table 3).
#define TILE 8

// Accumulates in memory. Today's compiler would keep the sum in a register for the loads, which the
// paper's did not: it is told that memory may have changed.
__global__ void matmul_basic(float *c, const float *a, const float *b, int n)
{
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;

    c[row * n + column] = 0.0f;
    for (int k = 0; k < n; k++) {
        asm volatile("" ::: "memory");
        c[row * n + column] += a[row * n + k] * b[k * n + column];
    }
}

// Accumulates in a register.
__global__ void matmul_basic_modified(float *c, const float *a, const float *b, int n)
{
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;

    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

// Reads each element of a tile once a block.
__global__ void matmul_best(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;

    for (int first = 0; first < n; first += TILE) {
        as[threadIdx.y][threadIdx.x] = a[row * n + first + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
