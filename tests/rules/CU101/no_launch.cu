// Without a launch in sight a stated one is assumed, and a bare stride may be 1.
__global__ void strided(float *out, const float *in, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * stride];  // undecided: CU101 (a stride that may be 1) "fine if stride is 1"
}

// As tensors have them: the innermost stride is 1 mostly, and nothing here says so.
__global__ void tensors(float *out, const float *in, int rows, int columns, int in_row,
                        int in_column, int out_row, int out_column)
{
    for (int y = threadIdx.y; y < rows; y += blockDim.y)
        for (int x = threadIdx.x; x < columns; x += blockDim.x)
            out[y * out_row + x * out_column] =  // undecided: CU101 (a stride that may be 1) "store to `out`" "are 1"
                in[y * in_row + x * in_column];  // undecided: CU101 (a stride that may be 1) "load from `in`" "are 1"
}

__global__ void columns(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[x * h + y] = in[y * w + x];  // expect: CU101 "store to `out`" "`4*h` bytes apart"
}

struct Particle {
    float x, y, z, mass;
};

__global__ void masses(float *out, const Particle *particles, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = particles[i].mass;  // expect: CU101 "load from `particles`" "16 sectors" "16 bytes apart"
}

__global__ void vectors(float4 *out, const float4 *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

// Runs with unit strides come to the second loop, turns of the first passed over.
__global__ void second_half(const float *in, float *out, int h, int d, int stride_h, int stride_d)
{
    for (int x = threadIdx.x; x < d; x += blockDim.x)
        for (int y = threadIdx.y; y < h; y += blockDim.y)
            out[y * stride_h + x * stride_d] = 0.0f;  // undecided: CU101 (a stride that may be 1) "is 1"
    __syncthreads();
    for (int x = threadIdx.x; x < d; x += blockDim.x)
        for (int y = threadIdx.y; y < h; y += blockDim.y)
            out[y * stride_h + x * stride_d] +=  // undecided: CU101 (a stride that may be 1) "load from `out`" "is 1"; CU101 (a stride that may be 1) "store to `out`" "is 1"
                in[y * stride_h + (x < d / 2 ? x + d / 2 : x - d / 2) * stride_d];  // undecided: CU101 (a stride that may be 1) "load from `in`" "is 1"
}

// Elements by their number, as a tensor's shape and strides tell where they are.
__global__ void by_number(float *out, int dim0, int dim1, int dim2, int stride0, int stride1, int stride2)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < dim0 * dim1 * dim2; i += gridDim.x * blockDim.x) {
        int x = i % dim2, row = i / dim2;  // undecided: CU705 (the rule's own) "each thread does it once"
        int y = row % dim1, z = row / dim1;  // undecided: CU705 (the rule's own) "each thread does it once"
        out[z * stride0 + y * stride1 + x * stride2] = 0.0f;  // undecided: CU101 (a stride that may be 1) "stride2 are 1"
    }
}
