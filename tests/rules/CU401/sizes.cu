// Blocks of another size, constants of the tile wherever they stand, and loops too long for a trial.
#define TILE_W 16
#define TILE_H 16
#define TILE 16
constexpr int WIDTH = 16;
static const int HEIGHT = 16;

// Figure 6 of Yang et al. With 32×8 it looks up fewer lines, but each element of b is used by 8
// threads and not by 16, so that it moves more sectors. With twice the threads nothing is lost.
__global__ void multiply(float *c, const float *a, const float *b, int wa, int wb)
{
    __shared__ float as[TILE_H][TILE_W];
    __shared__ float bs[TILE_W][TILE_W];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE_W + tx, y = blockIdx.y * TILE_H + ty;
    float sum = 0.0f;
    for (int k = 0; k < wa; k += TILE_W) {
        as[ty][tx] = a[y * wa + k + tx];
        for (int r = ty; r < TILE_W; r += TILE_H)
            bs[r][tx] = b[(k + r) * wb + x];
        __syncthreads();
        for (int i = 0; i < TILE_W; i++)
            sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    c[y * wb + x] = sum;
}

// One constant for both axes: the tile stays a square.
__global__ void square(float *c, const float *a, const float *b, int wa, int wb)
{
    __shared__ float as[TILE][TILE];
    __shared__ float bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    float sum = 0.0f;
    for (int k = 0; k < wa; k += TILE) {
        as[ty][tx] = a[y * wa + k + tx];
        bs[ty][tx] = b[(k + ty) * wb + x];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    c[y * wb + x] = sum;
}

__global__ void smooth(float *out, const float *in, int w)
{
    __shared__ float tile[HEIGHT][WIDTH + 2];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * WIDTH + tx + 8, y = blockIdx.y * HEIGHT + ty;
    tile[ty][tx + 1] = in[y * w + x];  // also: CU201
    if (tx == 0)
        tile[ty][0] = in[y * w + x - 1];
    if (tx == WIDTH - 1)
        tile[ty][WIDTH + 1] = in[y * w + x + 1];
    __syncthreads();  // expect: CU902
    out[y * w + x] = tile[ty][tx] + tile[ty][tx + 1] + tile[ty][tx + 2];  // also: CU201
}

// Figure 8, with the paper's `pow`: 1,024 turns of it are more than a trial may take.
__global__ void activation(float *out, const float *a, const float *b, int wa, int wb)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int i = 0; i < wa; i++) {
        float d = a[x * wa + i] - b[y * wb + i];  // expect: CU101
        sum += pow(d, 2);  // expect: CU704
    }
    out[y * gridDim.x * blockDim.x + x] = sum;
}

// How long it takes no argument says.
__global__ void relaxed(float *out, const float *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    float value = in[y * w + x];
    for (int k = 0; k < 100000; k++)
        value = value * 0.5f + in[(y * w + x + k) & 65535];
    out[y * w + x] = value;
}

void launch(float *c, const float *a, const float *b)
{
    multiply<<<dim3(32, 32), dim3(TILE_W, TILE_H)>>>(c, a, b, 512, 512);  // expect: CU401 "with 32×16" "constants changed along"
    dim3 block(TILE, TILE);  // also: CU401
    dim3 grid(512 / block.x, 512 / block.y);
    square<<<grid, block>>>(c, a, b, 512, 512);  // expect: CU401 "with 32×32"
    smooth<<<dim3(32, 32), dim3(WIDTH, HEIGHT)>>>(c, a, 1024);  // expect: CU401 "constants changed along"
    activation<<<dim3(64, 64), dim3(16, 16)>>>(c, a, b, 1024, 1024);  // expect: CU401 "with 8×32" "tried with wa=64"
    relaxed<<<dim3(64, 64), dim3(16, 16)>>>(c, a, 1024);  // undecided: CU401 (the rule's own)
}
