// Addresses that no GPU accepts: a byte off.
__global__ void words(short *out, const short *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const short *odd = (const short *)((const char *)in + 1);
    out[i] = 255 - odd[i];  // expect: CU103  // undecided: CU103 (misaligned)
}

__global__ void columns(float *out, const float *in)
{
    __shared__ float tile[33][32];
    for (int y = 0; y < 32; y++)
        tile[y][threadIdx.x] = in[y * 32 + threadIdx.x];
    __syncthreads();  // refuted: CU902 (nothing to report)
    const float *odd = (const float *)((const char *)&tile[0][0] + 2);
    float sum = 0.0f;
    for (int x = 0; x < 32; x++)
        sum += odd[threadIdx.x * 32 + x];  // undecided: CU201 (misaligned)  // refuted: CU602 (nothing to report)
    out[threadIdx.x] = sum;
}

__constant__ float weight[257];

__global__ void weigh(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * ((const float *)((const char *)weight + 2))[threadIdx.x];  // undecided: CU502 (misaligned)
}

__global__ void slices(float *out, const float *in)
{
    __shared__ float window[1025];
    float *odd = (float *)((char *)window + 2);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 4; k++)
        odd[k * 256 + threadIdx.x] = in[k * 16384 + i];  // undecided: CU201 (misaligned); CU602 (misaligned)
    float sum = 0.0f;
    for (int k = 0; k < 4; k++)
        sum += odd[k * 256 + threadIdx.x] * odd[(3 - k) * 256 + threadIdx.x];
    out[i] = sum;
}

__global__ void walk(double *sum, const double *step, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const double *odd = (const double *)((const char *)step + 1);
    double total = 0.0;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        double a = odd[i] * k;  // expect: CU703  // refuted: CU105 (nothing to report)
        total += a * a;
    }
    sum[i] = total;
}

__global__ void local(float *out, const float *in, const int *at)
{
    float x[64];  // also: CU107
    for (int k = 0; k < 64; k++)
        x[at[k] & 63] = in[k * 16384 + threadIdx.x];  // undecided: CU107 (misaligned); CU501 (a small share)
    float sum = 0.0f;
    for (int k = 0; k < 64; k++)
        sum += *(const float *)((const char *)&x[at[k] & 31] + 2);
    out[threadIdx.x] = sum;
}

__global__ void resample(float *out, const float *table, int turns)
{
    const float *odd = (const float *)((const char *)table + 1);
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int turn = 0; turn < turns; turn++)
        sum += 0.5f * odd[(warp * 16 + turn % 16) * 1024 + lane / 2];  // undecided: CU301 (misaligned)
    out[warp * 32 + lane] = sum;
}

__global__ void steps(double *sum, const double *step, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const double *odd = (const double *)((const char *)step + 1);
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        double a = odd[i] * k;  // undecided: CU106 (misaligned); CU503 (misaligned); CU703 (misaligned)
        sum[k * 16384 + i] = a * a;
    }
}

void launch(short *s, const short *t, float *out, const float *in, double *sum, const double *step)
{
    words<<<64, 256>>>(s, t);
    columns<<<1, 32>>>(out, in);
    weigh<<<64, 256>>>(out, in);
    slices<<<64, 256>>>(out, in);
    walk<<<64, 256>>>(sum, step, 100);
    local<<<1, 256>>>(out, in, (const int *)s);
    resample<<<216, 1024>>>(out, in, 64);
    steps<<<64, 256>>>(sum, step, 100);
}
