// A frontier of few vertices: made-up levels let single lanes by, and a warp of them shows more.

#define VERTICES 65536

__global__ void by_thread(const int *row, const int *col, int *level, int current)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < VERTICES && level[v] == current)
        for (int e = row[v]; e < row[v + 1]; e++) {
            int w = col[e];  // expect: CU101 "28" "row"
            if (level[w] < 0)  // also: CU101
                level[w] = current + 1;  // undecided: CU101 (friendlier values not reached)
        }
}

__global__ void by_warp(const int *row, const int *col, int *level, int current)
{
    int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (v < VERTICES && level[v] == current)
        for (int e = row[v] + lane; e < row[v + 1]; e += 32) {
            int w = col[e];
            if (level[w] < 0)  // undecided: CU101 (loaded address)
                level[w] = current + 1;  // undecided: CU101 (loaded address)
        }
}

// what few lanes come to lies side by side
__global__ void in_line(const int *level, const float *in, float *out, int current)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < VERTICES && level[v] == current)
        out[v] = 2.0f * in[v];
}

int main()
{
    int *row, *col, *level, current = 0;
    float *in, *out;
    cudaMalloc(&row, (VERTICES + 1) * sizeof(int));
    cudaMalloc(&col, 8 * VERTICES * sizeof(int));
    cudaMalloc(&level, VERTICES * sizeof(int));
    cudaMalloc(&in, VERTICES * sizeof(float));
    cudaMalloc(&out, VERTICES * sizeof(float));
    for (; current < 100; current++) {
        by_thread<<<VERTICES / 256, 256>>>(row, col, level, current);
        by_warp<<<VERTICES / 8, 256>>>(row, col, level, current);
        in_line<<<VERTICES / 256, 256>>>(level, in, out, current);
    }
}
