// Launches with few long-running threads. An A100 has 432 schedulers.
#define N 4096

// Figure 10 of Yang et al.: one thread for each column of the transposed product.
__global__ void tmv(float *c, const float *a, const float *b, int w, int h)
{
    __shared__ float part[256];
    int y = blockIdx.x * 256 + threadIdx.x;
    float sum = 0.0f;
    for (int x = 0; x < h; x += 256) {
        part[threadIdx.x] = b[x + threadIdx.x];
        __syncthreads();
        for (int i = 0; i < 256; i++)
            sum += a[y + (x + i) * w] * part[i];  // also: CU404
        __syncthreads();
    }
    c[y] = sum;
}

// Figure 11, its fix: each column's work is divided among the threads of a column of the block.
__global__ void tmv_divided(float *c, const float *a, const float *b, int w, int h)
{
    __shared__ float part[8][32];
    int y = blockIdx.x * 32 + threadIdx.x;
    int first = (blockIdx.y * 8 + threadIdx.y) * 16;
    float sum = 0.0f;
    for (int i = first; i < first + 16; i++)
        sum += a[y + i * w] * b[i];
    part[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0) {
        for (int i = 1; i < 8; i++)
            sum += part[i][threadIdx.x];
        atomicAdd(&c[y], sum);
    }
}

__global__ void columns(float *c, const float *a, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int y = 0; y < n; y++)
        sum += a[y * N + x];  // also: CU404
    c[x] = sum;
}

__global__ void one_block(float *c, const float *a, int n)
{
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += 256)
        sum += a[i];  // also: CU404
    c[threadIdx.x] = sum;
}

__global__ void iterations(float *x, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float z = x[i];
    for (int k = 0; k < turns; k++)
        z = z * z - 0.5f;
    x[i] = z;
}

__global__ void fixed_turns(float *c, const float *a)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int y = 0; y < 2048; y++)
        sum += a[y * N + x];  // also: CU404
    c[x] = sum;
}

// A block that is no whole warp has the threads that it has.
__global__ void alone(float *x, int turns)
{
    float z = x[0];
    for (int k = 0; k < turns; k++)
        z = z * z - 0.5f;
    x[0] = z;
}

// ok: over before it matters
__global__ void quick(float *c, const float *a, int n)
{
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += 256)
        sum += a[i];
    c[threadIdx.x] = sum;
}

// ok: as many threads as there is work
__global__ void plenty(float *c, const float *a, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int y = 0; y < n; y++)
        sum += a[y * N * 16 + x];
    c[x] = sum;
}

// ok: another launch has enough
__global__ void both(float *c, const float *a, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int y = 0; y < n; y++)
        sum += a[y * N * 16 + x];
    c[x] = sum;
}

// ok: the grid is not known
__global__ void some_grid(float *c, const float *a, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int y = 0; y < n; y++)
        sum += a[y * N + x];
    c[x] = sum;
}

// The arguments decide, and they are not known: the sizes that are tried are no bound of the loop.
__global__ void some_turns(float *c, const float *a, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int y = 0; y < n; y++)
        sum += a[y * N + x] * a[y * N + x + 1];  // also: CU404
    c[x] = sum;
}

// ok: the argument that is not known has nothing to do with how long its threads run
__global__ void short_turns(float *c, const float *a, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int y = 0; y < 24; y++)
        sum += a[y * N + x];
    if (x < n)
        c[x] = sum;
}

void launch(float *c, const float *a, const float *b, int n)
{
    tmv<<<4, 256>>>(c, a, b, 1024, 1024);  // expect: CU404 "1,024 threads"
    tmv_divided<<<dim3(32, 8), dim3(32, 8)>>>(c, a, b, 1024, 1024);
    columns<<<16, 256>>>(c, a, N);  // expect: CU404 "128 warps"
    one_block<<<1, 256>>>(c, a, 1 << 20);  // expect: CU404 "divide them among several threads"
    iterations<<<8, 128>>>(c, 10000);  // expect: CU404
    alone<<<1, 1>>>(c, 10000);  // expect: CU404 "launch has 1 thread, 1 warp where"
    fixed_turns<<<N / 256, 256>>>(c, a);  // expect: CU404
    quick<<<1, 256>>>(c, a, 4096);
    plenty<<<N * 16 / 256, 256>>>(c, a, 2048);
    both<<<16, 256>>>(c, a, 2048);
    both<<<256, 256>>>(c, a, 2048);
    some_grid<<<n / 256, 256>>>(c, a, 2048);
    some_turns<<<16, 256>>>(c, a, n);  // undecided: CU404 (invented data decides) "4,096 threads"
    short_turns<<<16, 256>>>(c, a, n);
}
