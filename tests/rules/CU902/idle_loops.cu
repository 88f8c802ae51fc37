// Barriers on each iteration of a loop in which no thread reads what another one writes.
__global__ void staged(float *out, const float *in, int n)
{
    __shared__ float mine[256];
    for (int base = blockIdx.x * 256; base < n; base += gridDim.x * 256) {
        mine[threadIdx.x] = in[base + threadIdx.x];
        __syncthreads();  // expect: CU902 "is redundant"
        out[base + threadIdx.x] = mine[threadIdx.x] * 0.5f;  // expect: CU602
        __syncthreads();  // expect: CU902 "is redundant"
    }
}

// What is stored to shared memory is read behind the loop alone.
__global__ void level(float *out, const float *in, int n)
{
    __shared__ float part[256];
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        sum += in[blockIdx.x * n + i];
        part[threadIdx.x] = sum;
        __syncthreads();  // expect: CU902 "orders nothing in its loop" "where 2 would do" "take it out of the loop"
    }
    for (int w = 128; w > 0; w /= 2) {
        if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

// Bins that are only added to, and tiles that are only read.
__global__ void bins(unsigned *out, const unsigned *keys, int shift)
{
    __shared__ unsigned bin[64];
    if (threadIdx.x < 64) bin[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < 16; k++) {
        atomicAdd(&bin[keys[(blockIdx.x * 16 + k) * 256 + threadIdx.x] >> shift & 63], 1u);  // undecided: CU108 (invented data decides)
        __syncthreads();  // expect: CU902
    }
    if (threadIdx.x < 64) out[blockIdx.x * 64 + threadIdx.x] = bin[threadIdx.x];
}

__global__ void least(int *paths, const int *a, const int *b)
{
    if (blockIdx.x == 0) return;
    __shared__ int row[16][16], column[16][16];
    int at = (blockIdx.y * 16 + threadIdx.y) * 1024 + blockIdx.x * 16 + threadIdx.x;
    row[threadIdx.y][threadIdx.x] = a[at];
    column[threadIdx.y][threadIdx.x] = b[at];
    __syncthreads();
    int best = paths[at];
    for (int k = 0; k < 16; k++) {
        best = min(best, column[threadIdx.y][k] + row[k][threadIdx.x]);
        __syncthreads();  // expect: CU902 "16 barriers a block where 2 would do"
    }
    paths[at] = best;
}

// A tile of which others read what a thread stored; a slot that the next thread reads; threads that
// take turns at one place; an atomic's result; one array by two names.
__global__ void tiles(float *out, const float *in, int n)
{
    __shared__ float tile[256];
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
        tile[threadIdx.x] = in[k * 256 + threadIdx.x];
        __syncthreads();
        sum += tile[255 - threadIdx.x];
        __syncthreads();
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

__global__ void turns(int *out, const int *in)
{
    __shared__ int best;
    for (int k = 0; k < 8; k++) {
        if (threadIdx.x / 32 == k) best = in[blockIdx.x * 256 + threadIdx.x];
        __syncthreads();
    }
    out[blockIdx.x * 256 + threadIdx.x] = best;
}

__global__ void queue(int *out, const int *in, int n)
{
    __shared__ int next;
    if (threadIdx.x == 0) next = 0;
    __syncthreads();
    for (int k = 0; k < n; k++) {
        out[(blockIdx.x * n + k) * 256 + atomicAdd(&next, 1) % 256] = in[k];  // undecided: CU108 (the rule's own); CU501 (a small share)
        __syncthreads();
    }
}

__global__ void relax(float *a, float *b, int n)
{
    for (int k = 0; k < n; k++) {
        a[threadIdx.x] = b[(threadIdx.x + 1) % 256] * 0.5f;
        __syncthreads();
    }
}

void launch(float *out, const float *in, int *paths, const int *keys, int n)
{
    staged<<<64, 256>>>(out, in, 1 << 20);
    level<<<64, 256>>>(out, in, n);
    bins<<<64, 256>>>((unsigned *)paths, (const unsigned *)keys, 8);
    least<<<dim3(64, 64), dim3(16, 16)>>>(paths, keys, keys);
    tiles<<<64, 256>>>(out, in, 64);
    turns<<<64, 256>>>(paths, keys);
    queue<<<64, 256>>>(paths, keys, 64);
    relax<<<1, 256>>>(out, out, 64);
}
