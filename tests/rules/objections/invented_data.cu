// How often these are reached, invented data decide.
__global__ void rows(float *out, const float *in, const int *length)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int y = 0; y < length[blockIdx.x]; y++)  // expect: CU503  // refuted: CU501 (nothing to report)
        out[x] += in[y * 4096 + x];  // expect: CU106
}

__global__ void resample(float *out, const float *table, const int *wanted, int turns)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    if (wanted[0] >= 0)
        for (int turn = 0; turn < turns; turn++)
            sum += 0.5f * table[(warp * 16 + turn % 16) * 1024 + lane];  // undecided: CU301 (invented data decides)
    out[warp * 32 + lane] = sum;
}

__global__ void iterate(float *out, const float *state, const int *turns)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int turn = 0; turn < turns[0]; turn++)
        sum += 0.5f * state[(warp * 64 + turn % 64) * 32 + lane];  // undecided: CU302 (invented data decides)
    out[warp * 32 + lane] = sum;
}

__global__ void spread(float *out, const float *in, const int *wanted)
{
    const float *row = in + blockIdx.x * 65536;
    float sum = 0.0f, squares = 0.0f;
    for (int i = threadIdx.x; i < 65536; i += 32)  // refuted: CU901 (nothing wasted)
        sum += row[i];
    float mean = sum / 2048;
    if (wanted[0] >= 0)
        for (int i = threadIdx.x; i < 65536; i += 32)
            squares += (row[i] - mean) * (row[i] - mean);  // undecided: CU303 (invented data decides)
    out[blockIdx.x * 32 + threadIdx.x] = squares;
}

__global__ void tmv(float *c, const float *a, const int *h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int y = 0; y < *h * 1000; y++)
        sum += a[y * 1024 + x];  // also: CU404
    c[x] = sum;
}

void launch(float *out, const float *in, const int *n)
{
    rows<<<16, 256>>>(out, in, n);  // refuted: CU404 (nothing wasted)
    resample<<<216, 1024>>>(out, in, n, 64);
    iterate<<<216, 1024>>>(out, in, n);
    spread<<<432, 32>>>(out, in, n);
    tmv<<<4, 256>>>(out, in, n);  // undecided: CU404 (invented data decides)
}
