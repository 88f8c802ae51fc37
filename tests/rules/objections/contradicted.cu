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
