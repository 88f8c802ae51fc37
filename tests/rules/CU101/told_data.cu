// What the program itself puts into an array is no data that another fill might change.
#include <cstdlib>

__global__ void gather(float *out, const float *in, const int *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[index[i]];  // expect: CU101 "load from `in`" "32 sectors" "the index into `in` is loaded data"
}

__global__ void in_order(float *out, const float *in, const int *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[index[i]];  // ok
}

__global__ void own_rows(float *out, const float *in, const int *start, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
    for (int j = start[i]; j < start[i + 1]; j++)
        sum += in[j];  // expect: CU101 "32 sectors" "its own run of `in`"
    out[i] = sum;
}

__global__ void fluid(float *cells, const char *solid, int height)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x, x = blockIdx.y;
    if (solid[x * height + y] == 0)  // undecided: CU103 (the rule's own)
        cells[y * 64 + x] *= 0.5f;  // expect: CU101 "load from `cells`" "32 sectors"
}

int main()
{
    const int n = 1 << 16;
    int *h = (int *)malloc(n * sizeof(int)), *same = (int *)malloc(n * sizeof(int));
    int *rows = (int *)malloc((n + 1) * sizeof(int));
    for (int i = 0; i < n; i++) {
        h[i] = 8 * i;
        same[i] = i;
    }
    for (int i = 0; i <= n; i++)
        rows[i] = 16 * i;
    int *index, *order, *start;
    float *in, *out;
    char *solid;
    cudaMalloc(&index, n * sizeof(int));
    cudaMalloc(&order, n * sizeof(int));
    cudaMalloc(&start, (n + 1) * sizeof(int));
    cudaMalloc(&in, 16 * n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMalloc(&solid, n);
    cudaMemcpy(index, h, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(order, same, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(start, rows, (n + 1) * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(solid, 0, n);
    gather<<<n / 256, 256>>>(out, in, index, n);
    in_order<<<n / 256, 256>>>(out, in, order, n);
    own_rows<<<n / 256, 256>>>(out, in, start, n);
    fluid<<<dim3(4, 64), 256>>>(in, solid, 1024);
}
