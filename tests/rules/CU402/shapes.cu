// Blocks whose rows are shorter than a warp.
__global__ void copy(float *out, const float *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] = in[y * w + x];
}

__global__ void scale(float *out, const float *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] = 2.0f * in[y * w + x];
}

__global__ void add(float *out, const float *a, const float *b, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] = a[y * w + x] + b[y * w + x];  // also: CU101
}

__global__ void columns(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int y = threadIdx.y; y < h; y += blockDim.y)
        sum += in[y * w + x];
    out[(blockIdx.y * blockDim.y + threadIdx.y) * w + x] = sum;
}

__global__ void bytes(unsigned char *out, const unsigned char *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] = 255 - in[y * w + x];  // also: CU101
}

__global__ void doubles(double *out, const double *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] = in[y * w + x] + 1.0;
}

void launch(float *out, const float *in, unsigned char *c, double *d)
{
    copy<<<dim3(128, 128), dim3(8, 8)>>>(out, in, 1024);  // expect: CU402 "touch 4 lines per request where 1 would do"
    scale<<<dim3(128, 32), dim3(8, 32)>>>(out, in, 1024);  // expect: CU402 "with 32×8"
    add<<<dim3(256, 16), dim3(4, 64)>>>(out, in, in, 1024);  // expect: CU402 "sectors per request"
    bytes<<<dim3(64, 128), dim3(16, 8)>>>(c, c, 1024);  // expect: CU402
    doubles<<<dim3(128, 32), dim3(8, 32)>>>(d, d, 1024);  // expect: CU402
}
