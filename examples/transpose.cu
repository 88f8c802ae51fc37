// Three ways to transpose a matrix: the naive one, one through a shared tile, one through a padded
// tile. perflint finds what is wrong with the first two and leaves the third alone:
//
//     perflint examples/
//
// Compile and run it, where there is a GPU: nvcc -o transpose transpose.cu && ./transpose
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int TILE = 32;
constexpr int ROWS = 8;

// Reads rows, writes columns: neighbouring threads store h floats apart.
__global__ void transpose_naive(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;

    for (int j = 0; j < TILE; j += ROWS)
        if (x < w && y + j < h)
            out[x * h + (y + j)] = in[(y + j) * w + x];
}

// Both sides of global memory are rows now, but the 32 floats of a tile's column share one bank.
__global__ void transpose_tile(float *out, const float *in, int w, int h)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;

    for (int j = 0; j < TILE; j += ROWS)
        if (x < w && y + j < h)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
    __syncthreads();

    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < h && y + j < w)
            out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}

// One float of padding a row puts a column into 32 different banks.
__global__ void transpose_padded(float *out, const float *in, int w, int h)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;

    for (int j = 0; j < TILE; j += ROWS)
        if (x < w && y + j < h)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
    __syncthreads();

    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < h && y + j < w)
            out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}

static bool transposed(const float *out, const float *in, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            if (out[x * h + y] != in[y * w + x])
                return false;
    return true;
}

int main()
{
    const int w = 2048, h = 1024;
    const size_t bytes = sizeof(float) * w * h;
    float *in = (float *)malloc(bytes), *out = (float *)malloc(bytes);
    for (int i = 0; i < w * h; i++)
        in[i] = (float)i;

    float *d_in, *d_out;
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice);

    dim3 block(32, 8);
    dim3 grid(w / TILE, h / TILE);

    transpose_naive<<<grid, block>>>(d_out, d_in, w, h);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    printf("naive:  %s\n", transposed(out, in, w, h) ? "ok" : "WRONG");

    transpose_tile<<<grid, block>>>(d_out, d_in, w, h);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    printf("tile:   %s\n", transposed(out, in, w, h) ? "ok" : "WRONG");

    transpose_padded<<<grid, block>>>(d_out, d_in, w, h);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    printf("padded: %s\n", transposed(out, in, w, h) ? "ok" : "WRONG");

    cudaFree(d_in);
    cudaFree(d_out);
    free(in);
    free(out);
    return 0;
}
