// A matrix product in three versions: one that accumulates in memory, one that does so in a register,
// and one that shares tiles. perflint finds the first one's stores; what shares the cache badly shows
// when it is small:
//
//     perflint examples/matmul.cu
//     perflint examples/matmul.cu --cache-size 1K
//     perflint profile examples/matmul.cu --kernel matmul --launch '<<<(4,4),(16,16)>>>(c=zeros:f32[64,64], a=random:f32[64,64], b=random:f32[64,64], n=64)' --cache-report --cache-size 4K
//
// Compile and run it, where there is a GPU: nvcc -o matmul matmul.cu && ./matmul
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int N = 512;
constexpr int TILE = 16;

// Each turn of the loop stores the sum so far: c may overlap a or b, for all the compiler knows.
__global__ void matmul(float *c, const float *a, const float *b, int n)
{
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;

    c[row * n + column] = 0.0f;
    for (int k = 0; k < n; k++)
        c[row * n + column] += a[row * n + k] * b[k * n + column];
}

// The sum stays in a register. The cache is left with the rows of a and the columns of b.
__global__ void matmul_register(float *c, const float *a, const float *b, int n)
{
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;

    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

// Each block loads an element of its tiles once.
__global__ void matmul_tiled(float *c, const float *a, const float *b, int n)
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

int main()
{
    const size_t bytes = N * N * sizeof(float);
    float *a = (float *)malloc(bytes), *b = (float *)malloc(bytes), *c = (float *)malloc(bytes);
    for (int i = 0; i < N * N; i++) {
        a[i] = (float)(i % 3);
        b[i] = (float)(i % 5);
    }

    float *d_a, *d_b, *d_c;
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMalloc(&d_c, bytes);
    cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice);

    dim3 block(TILE, TILE), grid(N / TILE, N / TILE);
    matmul<<<grid, block>>>(d_c, d_a, d_b, N);
    matmul_register<<<grid, block>>>(d_c, d_a, d_b, N);
    matmul_tiled<<<grid, block>>>(d_c, d_a, d_b, N);
    cudaMemcpy(c, d_c, bytes, cudaMemcpyDeviceToHost);

    double sum = 0.0;
    for (int i = 0; i < N * N; i++)
        sum += c[i];
    printf("sum of the product: %g\n", sum);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    free(a);
    free(b);
    free(c);
    return 0;
}
