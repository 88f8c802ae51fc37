// Trees of which every n-th thread works: the first threads may do that, if its number is all they need.

__global__ void tree(float *out, const float *in, int n)
{
    extern __shared__ float sdata[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0)  // expect: CU901
            sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}

__global__ void pairs(float *out, const float *in)
{
    __shared__ float sum[256], squares[256];
    int tx = threadIdx.x;
    float x = in[blockIdx.x * blockDim.x + tx];
    sum[tx] = x;
    squares[tx] = x * x;
    __syncthreads();
    for (int i = 2; i <= 256; i = 2 * i) {
        if ((tx + 1) % i == 0) {  // expect: CU901
            sum[tx] = sum[tx] + sum[tx - i / 2];
            squares[tx] = squares[tx] + squares[tx - i / 2];
        }
        __syncthreads();
    }
    if (tx == 255)
        out[blockIdx.x] = sum[tx] * squares[tx];
}

// a sum that its thread keeps
__global__ void kept(float *out, const float *in)
{
    __shared__ float sum[256];
    int tx = threadIdx.x, i = blockIdx.x * blockDim.x + tx;
    float mine = sum[tx] = in[i];
    __syncthreads();
    for (int s = 1; s < 256; s *= 2) {
        if (tx % (2 * s) == 0) {  // expect: CU901
            mine += sum[tx + s];
            sum[tx] = mine;
        }
        __syncthreads();
    }
    out[i] = mine;
}

// what the thread knows of itself is in the sum
__global__ void indexed(float *out, const float *in)
{
    __shared__ float sum[256];
    int tx = threadIdx.x, i = blockIdx.x * blockDim.x + tx;
    sum[tx] = in[i];
    __syncthreads();
    for (int s = 1; s < 256; s *= 2) {
        if (tx % (2 * s) == 0)  // expect: CU901 "in full warps"
            sum[tx] += sum[tx + s] * (i % 3 + 1);
        __syncthreads();
    }
    out[i] = sum[tx];
}

int main()
{
    float *a, *b;
    cudaMalloc(&a, 1 << 20);
    cudaMalloc(&b, 1 << 24);
    tree<<<4000, 256, 1024>>>(a, b, 1000000);
    pairs<<<4000, 256>>>(a, b);
    indexed<<<4000, 256>>>(b, a);
    kept<<<4000, 256>>>(b, a);
}
