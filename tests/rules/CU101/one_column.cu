// A column of a matrix is what a boundary is made of: no order of its threads packs it.

__global__ void left_edge(float *out, const float *field, int pitch, int rows, int at)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows)
        out[row] = field[row * pitch + at + 1] - field[row * pitch + at];  // undecided: CU101 (the rule's own) "a column of a matrix"
}

// The pitch may be a sum.
__global__ void inner_edge(float *out, const float *field, int nx, int rows, int at)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows)
        out[row] = field[row * (nx - 1) + at];  // undecided: CU101 (the rule's own) "a column of a matrix"
}

// A stride that no column goes with is the kernel's own.
__global__ void strided(float *out, const float *field, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = field[i * stride];  // expect: CU101 "32 sectors"
}

// All columns, each by a block: neighbouring threads could have neighbouring ones.
__global__ void columns(float *out, const float *field, int pitch, int rows)
{
    int row = threadIdx.x;
    if (row < rows)
        out[blockIdx.x * blockDim.x + row] = field[row * pitch + blockIdx.x];  // expect: CU101 "32 sectors"
}

// With the axes exchanged, a warp would have one element of the column, and a row of the matrix.
__global__ void eliminated(float *a, const float *factors, int pitch, int rows, int at)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;  // also: CU101
    int column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < rows)
        a[row * pitch + column] -=  // expect: CU101 "load from `a`"
            factors[row * pitch + at];  // also: CU101
}

// Rows, each walked along by a thread.
__global__ void sums(float *out, const float *field, int pitch, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    if (row < rows) {
        for (int x = 0; x < pitch; x++)
            sum += field[row * pitch + x];  // expect: CU101 "32 sectors"
        out[row] = sum;
    }
}

void launch(float *out, float *a, const float *field)
{
    left_edge<<<16, 256>>>(out, field, 4096, 4096, 7);
    inner_edge<<<16, 256>>>(out, field, 4096, 4096, 7);
    strided<<<512, 256>>>(out, field, 32);
    columns<<<4096, 256>>>(out, field, 4096, 256);
    eliminated<<<dim3(64, 256), dim3(16, 16)>>>(a, field, 4096, 1024, 7);
    sums<<<512, 256>>>(out, field, 4096, 512 * 256);
}
