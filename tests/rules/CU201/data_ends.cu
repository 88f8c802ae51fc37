// Data say how often a loop turns: with few turns a trial comes to its end, and an edit is compared.

__global__ void gather(float *out, const int *counts, const float *in, int pitch)
{
    __shared__ float tile[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int k = 0; k < counts[blockIdx.x]; ++k) {
        tile[y][x] = in[(k * 32 + y) * pitch + x];
        __syncthreads();
        for (int j = 0; j < 32; ++j)
            sum = sum * 0.5f + sinf(tile[x][j] + y);  // expect: CU201 "32-way"; CU706
        __syncthreads();
    }
    out[(blockIdx.x * 32 + y) * 32 + x] = sum;
}

int main()
{
    float *out, *in;
    int *counts;
    cudaMalloc(&out, 400 * 4096);
    cudaMalloc(&in, 4096 * 4096);
    cudaMalloc(&counts, 400 * sizeof(int));
    gather<<<400, dim3(32, 32)>>>(out, counts, in, 1024);
}
