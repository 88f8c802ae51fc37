// Transposing copies: a tile in shared memory packs both sides.
#define SIDE 32
#define ROWS 8

__global__ void rows(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[x * h + y] = 2.0f * in[y * w + x];  // expect: CU101 "16 sectors"
}

// the side that reads is the scattered one
__global__ void columns(float *out, const float *in, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int from = x * h + y;
    int to = y * w + x;
    out[to] = in[from];  // expect: CU101 "16 sectors"
}

template <class T> __global__ void braced(T *out, const T *in, int w, int h)
{
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        unsigned int to = x * h + y;
        out[to] = in[y * w + x];  // expect: CU101 "16 sectors"
    }
}

// a thread has elements of several rows
__global__ void looped(float *out, const float *in)
{
    int x = blockIdx.x * SIDE + threadIdx.x;
    int y = blockIdx.y * SIDE + threadIdx.y;
    int width = gridDim.x * SIDE;
    for (int j = 0; j < SIDE; j += ROWS)
        out[x * width + (y + j)] = in[(y + j) * width + x];  // expect: CU101 "32 sectors"
}

// no thread of a block has a counterpart
__global__ void wide(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[x * h + y] = in[y * w + x];  // expect: CU101 "32 sectors"
}

// there is more to it than a copy
__global__ void counted(float *out, const float *in, int *count, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        out[x * h + y] = in[y * w + x];  // expect: CU101 "16 sectors"
        count[y * w + x] = 1;
    }
}

int main()
{
    float *a, *b;
    int *c;
    cudaMalloc(&a, 1024 * 1024 * sizeof(float));
    cudaMalloc(&b, 1024 * 1024 * sizeof(float));
    cudaMalloc(&c, 1024 * 1024 * sizeof(int));
    dim3 block(16, 16), grid((1000 + 15) / 16, (700 + 15) / 16);
    rows<<<grid, block>>>(a, b, 1000, 700);
    columns<<<grid, block>>>(a, b, 1000, 700);
    braced<<<grid, block>>>(a, b, 1000, 700);
    looped<<<dim3(32, 32), dim3(SIDE, ROWS)>>>(a, b);
    wide<<<dim3(32, 88), dim3(32, 8)>>>(a, b, 1000, 700);
    counted<<<grid, block>>>(a, b, c, 1000, 700);
}
