// Far behind all that was allocated: an error of the program, or sizes that were misread.
#define FAR (1 << 24)

struct Body {
    float x, y, z, vx, vy, vz, mass, charge;
};

__global__ void rows(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 8 + FAR];  // undecided: CU101 (out of its region)
}

__global__ void pairs(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[2 * i + FAR] * in[2 * i + 1 + FAR];  // undecided: CU102 (out of its region)
}

__global__ void bytes(unsigned char *out, const unsigned char *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 255 - in[i + FAR];  // expect: CU103  // undecided: CU103 (out of its region)
}

__global__ void bodies(float *out, const Body *all)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = all[i + FAR].mass * all[i + FAR].charge + all[i + FAR].x;  // undecided: CU104 (out of its region)
}

__global__ void shifted(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + 3 + FAR];  // undecided: CU105 (out of its region)
}

__global__ void filter(float *out, const float *in, const float *taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 32; k++)
        sum += taps[k + FAR] * in[k * 16384 + i];  // undecided: CU501 (out of its region)
    out[i] = sum;
}

__global__ void scale(float *out, float *in, float *factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        out[k * 16384 + i] = in[k * 16384 + i] * factor[i + FAR];  // undecided: CU106 (out of its region); CU503 (out of its region)
}

__global__ void walk(double *sum, const double *step, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double total = 0.0;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        double a = step[i + FAR] * k;  // expect: CU703
        total += a * a;
    }
    sum[i] = total;
}

__constant__ float weight[256];

__global__ void weigh(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * weight[threadIdx.x + FAR];  // undecided: CU502 (out of its region)
}

__global__ void steps(double *sum, const double *step, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        double a = step[i + FAR] * k;  // undecided: CU106 (out of its region); CU503 (out of its region); CU703 (out of its region)
        sum[k * 16384 + i] = a * a;
    }
}

__global__ void local(float *out, const float *in, int shift)
{
    float x[64];  // also: CU107
    for (int k = 0; k < 64; k++)
        x[(k * shift) & 63] = in[k * 16384 + threadIdx.x];  // undecided: CU107 (out of its region)
    float sum = 0.0f;
    for (int k = 0; k < 64; k++)
        sum += x[k + shift];
    out[threadIdx.x] = sum;
}

void launch()
{
    float *out, *in, *taps, *factor;
    double *sum, *step;
    unsigned char *b, *c;
    Body *all;
    cudaMalloc(&out, 1 << 24);
    cudaMalloc(&in, 1 << 24);
    cudaMalloc(&taps, 128);
    cudaMalloc(&factor, 65536);
    cudaMalloc(&sum, 1 << 20);
    cudaMalloc(&step, 1 << 20);
    cudaMalloc(&b, 65536);
    cudaMalloc(&c, 65536);
    cudaMalloc(&all, 1 << 20);
    rows<<<64, 256>>>(out, in);
    pairs<<<64, 256>>>(out, in);
    bytes<<<64, 256>>>(b, c);
    bodies<<<64, 256>>>(out, all);
    shifted<<<64, 256>>>(out, in);
    filter<<<64, 256>>>(out, in, taps);
    scale<<<64, 256>>>(out, in, factor, 100);
    walk<<<64, 256>>>(sum, step, 100);
    weigh<<<64, 256>>>(out, in);
    steps<<<64, 256>>>(sum, step, 100);
    local<<<1, 256>>>(out, in, 100001);
}

// How often this loop turns is invented data: where it runs off says nothing of the launch.
__global__ void listed(float *out, const int *list, const int *counts, int most)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < counts[i]; k++)
        sum += list[i * most + k];  // expect: CU101 "whenever it is reached"
    out[i] = sum;
}

void lists()
{
    float *out;
    int *list, *counts;
    cudaMalloc(&out, 4096 * sizeof(float));
    cudaMalloc(&counts, 4096 * sizeof(int));
    cudaMalloc(&list, 4096 * 24 * sizeof(int));
    listed<<<16, 256>>>(out, list, counts, 24);
}
