// Blocks of 16×16 threads that no other shape serves better or even serves, and other shapes.
__global__ void wide(float *out, const float *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] = in[y * w + x];
}

// The tile is square: only a larger square writes the same elements, and has no conflict either.
__global__ void transpose(float *out, const float *in, int n)
{
    __shared__ float tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];  // also: CU201
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];  // also: CU201
}

// Eight-byte elements: 16 of them are a line.
__global__ void doubles(double *out, const double *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] = in[y * w + x];
}

// One index of both: the shape does not matter.
__global__ void flat(float *out, const float *in)
{
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    int i = (blockIdx.y * gridDim.x + blockIdx.x) * 256 + t;
    out[i] = in[i];
}

// ActivationMatrix in the shape that the paper found best: CU402 would name a better one.
__global__ void activation(float *out, const float *a, const float *b, int wa, int wb)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int i = 0; i < wa; i++) {
        float d = a[x * wa + i] - b[y * wb + i];  // expect: CU101
        sum += d * d;
    }
    out[y * 512 + x] = sum;
}

// No launch: 16×16 is perflint's own guess.
__global__ void unknown(float *out, const float *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] = in[y * w + x];
}

void launch(float *c, const float *a, const float *b, double *d)
{
    wide<<<dim3(32, 128), dim3(32, 8)>>>(c, a, 1024);
    transpose<<<dim3(64, 64), dim3(16, 16)>>>(c, a, 1024);  // expect: CU401 "32×32"
    doubles<<<dim3(64, 64), dim3(16, 16)>>>(d, d, 1024);
    flat<<<dim3(64, 64), dim3(16, 16)>>>(c, a);
    activation<<<dim3(64, 16), dim3(8, 32)>>>(c, a, b, 512, 512);
}
