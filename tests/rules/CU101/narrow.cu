// Small blocks whose axes go the wrong way: exchanged, they pack no more unless they are wider.
#define SIDE 4

__global__ void eliminate(float *a, const float *m, int n, int t)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;  // also: CU101
    int column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n) return;
    a[n * row + column] -= m[n * row + t] * a[n * t + column];  // expect: CU101 "load from `a`"  // also: CU101
}

int main()
{
    const int n = 1024;
    float *a, *m;
    cudaMalloc(&a, n * n * sizeof(float));
    cudaMalloc(&m, n * n * sizeof(float));
    int side = SIDE;  // also: CU403; CU405
    int blocks = n / side + (n % side ? 1 : 0);
    dim3 block(side, side), grid(blocks, blocks);
    for (int t = 0; t < n - 1; ++t)
        eliminate<<<grid, block>>>(a, m, n, t);  // expect: CU403; CU405
}
