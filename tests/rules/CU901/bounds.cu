// Branches that ask on which side of a bound a thread is: each row has one warp that is split.

// The rows of a triangle end where the diagonal is, in the first blocks near their beginning.
__global__ void triangle(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int column = i % n, row = i / n % n;  // undecided: CU705 (the rule's own)
    if (column > row) {
        out[i] = 0.0f;
        return;
    }
    float sum = 0.0f;
    for (int k = 0; k < 64; k++)
        sum += in[k * n + column];
    out[i] = sum;
}

// A warp goes along a row that gets longer with its number.
__global__ void rows(float *out, const float *in, int n)
{
    int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    float sum = 0.0f;
    for (int k = lane; k < row; k += 32)
        sum += in[row * n + k];
    out[row * 32 + lane] = sum;
}

// As many rows in a warp as a narrow block gives it, and each is split once.
__global__ void narrow_triangle(float *out, const float *in)
{
    int x = threadIdx.x, row = blockIdx.x, matrix = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    if (x <= row)
        for (int k = 0; k < 64; k++)
            sum += in[(matrix * 64 + k) * 16 + x];
    out[(matrix * 16 + row) * 16 + x] = sum;
}

// Lanes here and there, wherever the bound lies.
__global__ void scattered(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    if ((i * 7) % 16 < n)  // expect: CU901
        for (int k = 0; k < 64; k++)
            x = x * 0.5f + 1.0f;
    out[i] = x;
}

// Three of four lanes of every row idle, in every block.
__global__ void quarter_rows(float *out, const float *in)
{
    int x = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    if (4 * x < blockDim.x)  // expect: CU901
        for (int k = 0; k < 64; k++)
            sum += in[(y * 64 + k) * 16 + x];
    out[y * 16 + x] = sum;
}

// A picture smaller than its one block: each of the two rows of a warp is cut at the same bound.
__global__ void picture(float *out, const float *in, int w, int h, int planes)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int plane = blockIdx.z % planes;
    if (x < w && y < h && plane < planes) {
        float sum = 0.0f;
        for (int k = 0; k < 64; k++)
            sum += in[((plane * 64 + k) * h + y) * w + x];
        out[(plane * h + y) * w + x] = sum;
    }
}

// Rows that end at the same place in every block, and a bound beside that: how the work is dealt.
__global__ void quarter_picture(float *out, const float *in, int h)
{
    int x = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    if (4 * x < blockDim.x && y < h)  // expect: CU901
        for (int k = 0; k < 64; k++)
            sum += in[(y * 64 + k) * 16 + x];
    out[y * 16 + x] = sum;
}

void launch(float *out, const float *in)
{
    picture<<<1, dim3(16, 16)>>>(out, in, 4, 4, 1);
    quarter_picture<<<64, dim3(16, 8)>>>(out, in, 512);
    triangle<<<4096, 256>>>(out, in, 1024);
    rows<<<128, 256>>>(out, in, 1024);
    narrow_triangle<<<dim3(16, 64), dim3(16, 8)>>>(out, in);
    scattered<<<64, 256>>>(out, in, 8);
    quarter_rows<<<64, dim3(16, 8)>>>(out, in);
}
