// Runs that end long before these kernels do, in no loop around what is suspected.
#define ENDLESS for (long k = 0; k < 1000000000; k++) sum = sum * 0.5f + in[(i + k) & 16383];

__global__ void damped(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += in[k * 16384 + i] * 0.1;  // undecided: CU701 (cut short without a steady loop)  // refuted: CU109 (not reached); CU301 (nothing wasted); CU302 (nothing wasted); CU303 (nothing wasted)
    ENDLESS
    out[i] = sum;
}

__global__ void divided(float *out, const float *in, double *d, double by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 2; k++)
        d[i + k * 16384] = d[i + k * 16384] / by;  // undecided: CU702 (cut short without a steady loop)
    float sum = 0.0f;
    ENDLESS  // expect: CU109
    out[i] = sum;
}

__global__ void walked(double *out, const float *in, const double *step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double b = step[i], total = 0.0;
    for (int k = 0; k < 3; k++) {
        double a = b * k;  // undecided: CU703 (cut short without a steady loop)
        total += a * a;
    }
    float sum = 0.0f;
    ENDLESS  // expect: CU109
    out[i] = total + sum;
}

__global__ void powers(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = powf(in[i], 2);  // undecided: CU704 (cut short without a steady loop)
    ENDLESS
    out[i] = sum;
}

__global__ void remainders(float *out, const float *in, int w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += in[(i + k) % w];  // undecided: CU705 (cut short without a steady loop)
    ENDLESS
    out[i] = sum;
}

__global__ void waves(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 2; k++)
        sum += cosf(in[i] + k);  // undecided: CU706 (cut short without a steady loop)
    ENDLESS
    out[i] = sum;
}

__global__ void filtered(float *out, const float *in, const float *taps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += taps[k & 31] * in[(k * 16384 + i) & 65535];  // undecided: CU501 (cut short without a steady loop)
    ENDLESS
    out[i] = sum;
}

void launch(float *out, float *in, double *d, double *e)
{
    float *taps;
    cudaMalloc(&taps, 128);
    damped<<<64, 256>>>(out, in, 500);
    divided<<<64, 256>>>(out, in, d, 3.7);
    walked<<<64, 256>>>(d, in, e);
    powers<<<64, 256>>>(out, in);
    remainders<<<64, 256>>>(out, in, 1000, 500);
    waves<<<64, 256>>>(out, in);
    filtered<<<64, 256>>>(out, in, taps, 500);
}
