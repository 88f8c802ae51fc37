// A stencil whose launch does not say how often it turns: with what would be invented, none of its
// accesses is reached, and no barrier would order anything.
#define SIZE 16

__global__ void heat(float *out, const float *in, int turns, int border)
{
    __shared__ float now[SIZE][SIZE], next[SIZE][SIZE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * SIZE - border + y, column = blockIdx.x * SIZE - border + x;
    if (row >= 0 && column >= 0)
        now[y][x] = in[row * 1024 + column];
    __syncthreads();  // ok
    for (int i = 0; i < turns; i++) {
        if (x > i && x < SIZE - 1 - i && y > i && y < SIZE - 1 - i && row >= 0 && column >= 0)
            next[y][x] = 0.25f * (now[y - 1][x] + now[y + 1][x] + now[y][x - 1] + now[y][x + 1]);
        __syncthreads();  // ok
        if (i == turns - 1)
            break;
        now[y][x] = next[y][x];
        __syncthreads();  // ok
    }
    if (row >= 0 && column >= 0)
        out[row * 1024 + column] = next[y][x];
}

void launch(float *out, const float *in, int turns, int border)
{
    heat<<<dim3(64, 64), dim3(16, 16)>>>(out, in, turns, border);
}
