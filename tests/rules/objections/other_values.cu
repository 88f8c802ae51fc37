// No launch is in sight, and with other plain values these are fine.
__global__ void turns(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int y = 0; y < n / 64; y++)
        out[x] += in[y * 4096 + x];  // undecided: CU106 (fine with other values)
}

__global__ void meeting(float *sum, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(sum + i % (n / 32), in[i]);  // undecided: CU108 (fine with other values); CU705 (the rule's own)
}

__global__ void windows(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n / 64; k++)
        sum += in[i + k];  // undecided: CU109 (fine with other values)
    out[i] = sum;
}

__constant__ float weights[1024];

__global__ void weighted(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * weights[threadIdx.x / (n / 32) % 1024];  // undecided: CU502 (fine with other values); CU705 (the rule's own)
}

__global__ void padded(float *out, const float *in, int n)
{
    extern __shared__ float tile[];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x * (n / 64) % 2048];  // undecided: CU201 (fine with other values)
}

__global__ void divided(double *data, double by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n / 1000; k++)
        data[k * 16384 + i] = data[k * 16384 + i] / by;  // undecided: CU702 (fine with other values)
}

__global__ void walked(double *out, const double *step, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double b = step[i], total = 0.0;
    for (int k = 0; k < n / 100; k++) {
        double a = b * k;  // undecided: CU703 (fine with other values)
        total += a * a;
    }
    out[i] = total;
}

__global__ void powers(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n > 1000)
        out[i] = powf(in[i], 2);  // undecided: CU704 (fine with other values)
}

__global__ void waves(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n / 100; k++)
        sum += cosf(in[k * 16384 + i]);  // undecided: CU706 (fine with other values)
    out[i] = sum;
}

__global__ void arms(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i];
    if (n > 1000) {
        if (threadIdx.x % 2 == 0)  // undecided: CU901 (fine with other values)
            for (int k = 0; k < 100; k++)
                x = x * 0.5f + 1.0f;
        else
            for (int k = 0; k < 100; k++)
                x = x * 0.25f - 1.0f;
    }
    data[i] = x;
}

__global__ void alike(float *out, const float *in, int n)
{
    float sum = 0.0f;
    for (int k = 0; k < n / 8; k++)  // undecided: CU906 (fine with other values)
        sum += in[k];  // undecided: CU501 (invented data decides)
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

struct Body {
    float x, y, z, vx, vy, vz, mass, charge;
};

// Rows lie apart where n is large, and one element apart, or on each other, where it is small.
__global__ void pairs(float *out, const float *in, int n)
{
    const float *row = in + threadIdx.y * (n / 90);
    out[threadIdx.y * 4 + threadIdx.x] = row[2 * threadIdx.x] * row[2 * threadIdx.x + 1];  // undecided: CU102 (fine with other values)
}

__global__ void bodies(float *out, const Body *all, int n)
{
    const Body *own = (const Body *)((const float *)all + threadIdx.y * (n / 90)) + threadIdx.x;
    out[threadIdx.y * 2 + threadIdx.x] = own->mass * own->charge + own->x;  // undecided: CU104 (fine with other values); CU109 (fine with other values)
}

// An offset that is a multiple of a sector with most sizes, and 4 bytes with the smallest one.
__global__ void shifted(float *out, const float *in, int n)
{
    out[threadIdx.x * n] = in[blockIdx.x * 256 + threadIdx.x + n];  // expect: CU101  // undecided: CU105 (fine with other values)
}

__global__ void resample(float *out, const float *table, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int turn = 0; turn < n / 40; turn++)
        sum += 0.5f * table[(warp * 16 + turn % 16) * 1024 + lane];  // undecided: CU301 (fine with other values)
    out[warp * 32 + lane] = sum;
}

__global__ void iterate(float *out, const float *state, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int turn = 0; turn < n / 10; turn++)
        sum += 0.5f * state[(warp * 64 + turn % 64) * 32 + lane];  // undecided: CU109 (fine with other values); CU302 (fine with other values)
    out[warp * 32 + lane] = sum;
}

__global__ void spread(float *out, const float *in, int n)
{
    const float *row = in + blockIdx.x * 65536;
    float sum = 0.0f, squares = 0.0f;
    for (int i = threadIdx.x; i < n * 51; i += 32)
        sum += row[i];
    float mean = sum / 2048;
    for (int i = threadIdx.x; i < n * 51; i += 32)
        squares += (row[i] - mean) * (row[i] - mean);  // undecided: CU303 (fine with other values)
    out[blockIdx.x * 32 + threadIdx.x] = squares;
}

void launch(float *out, const float *in, const Body *all, int n)
{
    float *rows;
    cudaMalloc(&rows, 1 << 24);
    pairs<<<64, dim3(4, 64)>>>(out, in, n);
    bodies<<<64, dim3(2, 64)>>>(out, all, n);
    shifted<<<64, 256>>>(out, rows, 104);
    shifted<<<64, 256>>>(out, rows, n);
    resample<<<216, 1024>>>(out, in, n);
    iterate<<<216, 1024>>>(out, in, n);
    spread<<<432, 32>>>(out, in, n);
}
