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
