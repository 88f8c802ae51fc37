// Row and column accesses of matrices, with the launch in the file.
__global__ void naive(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[x * h + y] = in[y * w + x];  // expect: CU101 "store to `out`" "32 sectors" "where 4" "`4*h` bytes apart (4096 here)"
}

__global__ void one_statement(float *a, const float *b, const float *c, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    a[y * w + x] = b[y * w + x] + c[x * h + y] * b[x];  // expect: CU101 "load from `c`" "32 sectors"
}

__global__ void both_sides(double *a, const double *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++)
        a[i * n + j] = b[i * n + j];  // expect: CU101 "load from `b`" "32 sectors" "where 8"  // also: CU101  // also: CU404
}

__global__ void coalesced(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[y * w + x] = in[y * w + x];
}

__global__ void broadcast(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int j = 0; j < n; j++)  // expect: CU906
        sum += in[j];
    out[i] = sum;
}

__global__ void halo(float *out, const float *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < w - 1)
        out[y * w + x] = in[y * w + x - 1] + in[y * w + x] + in[y * w + x + 1];  // expect: CU109
}

int main()
{
    const int w = 1024, h = 1024;
    float *a, *b, *c;
    double *d, *e;
    cudaMalloc(&a, w * h * sizeof(float));
    cudaMalloc(&b, w * h * sizeof(float));
    cudaMalloc(&c, w * h * sizeof(float));
    cudaMalloc(&d, w * h * sizeof(double));
    cudaMalloc(&e, w * h * sizeof(double));
    dim3 block(32, 8), grid(w / 32, h / 8);
    naive<<<grid, block>>>(a, b, w, h);
    one_statement<<<grid, block>>>(a, b, c, w, h);
    both_sides<<<w / 256, 256>>>(d, e, h);  // expect: CU404
    coalesced<<<grid, block>>>(a, b, w, h);
    broadcast<<<w / 256, 256>>>(a, b, h);
    halo<<<grid, block>>>(a, b, w);
}
