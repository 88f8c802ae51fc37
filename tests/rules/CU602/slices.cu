// Shared arrays of which each thread has a slice for itself.
__global__ void window(float *out, const float *in, int n)
{
    __shared__ float window[8][256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        window[k][threadIdx.x] = in[k * 16384 + i];
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += window[k][threadIdx.x] * window[n - 1 - k][threadIdx.x];  // expect: CU602 "its own 32 bytes" "`window`" "8 elements"
    out[i] = sum;
}

// the barriers were needed for nothing, either
__global__ void one_value(float *out, const float *in, int n)
{
    __shared__ float sum[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    sum[threadIdx.x] = 0.0f;
    for (int k = 0; k < n; k++) {
        __syncthreads();  // expect: CU902
        sum[threadIdx.x] += in[k * 16384 + i];  // expect: CU602 "4 bytes" "local variable"
    }
    out[i] = sum[threadIdx.x];
}

// Yang, Xiang, Mantor, Zhou, ICPP 2012, figure 17: the size is in constant memory
extern __shared__ unsigned char space[];
__global__ void error_position(int *out, const unsigned char *in, int size)  // expect: CU601
{
    int tid = threadIdx.x;
    for (int i = 0; i < size; ++i)
        space[i * 256 + tid] = in[(blockIdx.x * 64 + i) * 256 + tid];  // expect: CU103
    int errors = 0;
    for (int off = 0; off < size; ++off)
        for (int i = 0; i < size; ++i)
            errors += off != i ? space[i * 256 + tid] : 7;  // expect: CU602 "`space`" "template parameter"
    out[blockIdx.x * 256 + tid] = errors;
}

__global__ void narrow_block(float *out, const float *in)
{
    __shared__ volatile float row[16][16];
    int i = blockIdx.x * 256 + threadIdx.y * 16 + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 16; k++) {
        row[threadIdx.y][threadIdx.x] = in[k * 16384 + i];
        sum = sum * 0.5f + row[threadIdx.y][threadIdx.x] * row[threadIdx.y][threadIdx.x];  // expect: CU602 "local variable"
    }
    out[i] = sum;
}

// position and speed of each thread's own particle
__global__ void steps(float *out, const float *in, int n)
{
    __shared__ float state[2][128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    state[0][threadIdx.x] = in[i];
    state[1][threadIdx.x] = 0.0f;
    for (int k = 0; k < n; k++)
        state[k & 1][threadIdx.x] += 0.01f * state[1 - (k & 1)][threadIdx.x];  // expect: CU602 "8 bytes"
    out[i] = state[0][threadIdx.x];
}

void launch(float *out, const float *in, int *errors, const unsigned char *text)
{
    window<<<64, 256>>>(out, in, 8);
    one_value<<<64, 256>>>(out, in, 50);
    error_position<<<64, 256, 31 * 256>>>(errors, text, 31);
    narrow_block<<<64, dim3(16, 16)>>>(out, in);
    steps<<<64, 128>>>(out, in, 50);
}
