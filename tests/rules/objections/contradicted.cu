// What a launch's block is read supposing may contradict the place where it stands.
__global__ void reduce_rows(int n, int channels, const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i * 64];  // undecided: CU101 (wrong launch) "supposing `channels > MOST`"
}

// ok: nothing contradicts it
__global__ void wide_rows(int n, int channels, const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i * 64];  // expect: CU101
}

const int MOST = 512;

void launch(int rows, int channels, const float *in, float *out)
{
    int threads = channels > MOST ? MOST : channels;
    int n = rows * channels;
    if (channels > 512) {
        wide_rows<<<(n + threads - 1) / threads, threads>>>(n, channels, in, out);
    } else if (channels < 32) {
        reduce_rows<<<(n + threads - 1) / threads, threads>>>(n, channels, in, out);
    }
}

// What is read of a launch may make no grid: invented numbers then stand in the place of its own.
__global__ void gathered(int n, int width, const int *index, const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[index[i] * width];  // undecided: CU101 (wrong launch) "makes no grid"
}

// What is so for all numbers is told.
__global__ void spread(int n, const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i * 64];  // expect: CU101
}

void multiply(int rows, int count, int width, const int *index, const float *in, float *out)
{
    int blocks = (count < rows ? count : rows) / 256;
    if (width == 1) gathered<<<blocks, 256>>>(rows, width, index, in, out);
    spread<<<blocks, 256>>>(rows, in, out);
}

void read(int rows, const int *index, const float *in, float *out)
{
    multiply(rows, -1, 1, index, in, out);
}
