// Guards that the launch's own arguments never meet: no warp comes to what stands behind them.
__constant__ float weights[256];

__global__ void pairs(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < 0)
        out[i] = in[2 * i] * in[2 * i + 1];  // refuted: CU102 (not reached)
}

__global__ void bytes(unsigned char *out, const unsigned char *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < 0)
        out[i] = 255 - in[i];  // refuted: CU103 (not reached)
}

struct Body {
    float x, y, z, vx, vy, vz, mass, charge;
};

__global__ void bodies(Body *all, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < 0)
        all[i].x += all[i].vx;  // refuted: CU104 (not reached)
}

__global__ void rows(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int y = 0; y < n; y++)
        out[x] += in[y * 4096 + x];  // refuted: CU106 (not reached)
}

__global__ void votes(int *out, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= 0)
        return;
    int votes[16] = {};
    for (int k = 0; k > n; k--)
        votes[in[i - k * 16384] & 15]++;  // refuted: CU107 (not reached)
    out[i] = votes[in[i] & 15];
}

__global__ void taps(float *out, const float *in, const float *taps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    if (n < 0)
        for (int k = 0; k < 32; k++)
            sum += taps[k] * in[k * 16384 + i];  // refuted: CU501 (not reached)
    out[i] = sum;
}

__global__ void weighted(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < 0)
        out[i] = in[i] * weights[threadIdx.x];  // refuted: CU502 (not reached)
}

__global__ void doubles(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < 0)
        out[i] = in[i] * 0.1;  // refuted: CU701 (not reached)
}

__global__ void divided(double *data, double length, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < 0)
        for (int k = 0; k < 8; k++)
            data[k * 16384 + i] = data[k * 16384 + i] / length;
}

__global__ void walked(double *out, const double *step, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double total = 0.0;
    for (int k = 0; k < n; k++) {
        double a = step[i] * k;  // refuted: CU703 (nothing wasted)
        total += a * a;
    }
    out[i] = total;
}

__global__ void powers(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < 0)
        out[i] = powf(in[i], 2);  // refuted: CU704 (nothing wasted)
}

__global__ void remainders(float *out, const float *in, int w, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i % w];  // refuted: CU705 (not reached)
}

__global__ void waves(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += cosf(in[k * 16384 + i]);  // refuted: CU706 (nothing wasted)
    out[i] = sum;
}

__global__ void conflicts(float *out, const float *in, int n)
{
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    if (n < 0)
        out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];  // refuted: CU201 (not reached)
}

__global__ void halves(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i];
    if (n < 0) {
        if (threadIdx.x % 2 == 0)
            for (int k = 0; k > n; k--)
                x = x * 0.5f + 1.0f;
        else
            for (int k = 0; k > n; k--)
                x = x * 0.25f - 1.0f;
    }
    data[i] = x;
}

void launch(float *out, const float *in, double *d, const double *e, unsigned char *b, int *j)
{
    pairs<<<64, 256>>>(out, in, 16384);
    bytes<<<64, 256>>>(b, b + 65536, 16384);
    bodies<<<64, 256>>>((Body *)out, 16384);
    rows<<<16, 256>>>(out, in, 0);
    votes<<<64, 256>>>(j, j + 65536, 100);
    taps<<<64, 256>>>(out, in, in + 65536, 16384);
    weighted<<<64, 256>>>(out, in, 16384);
    doubles<<<64, 256>>>(out, in, 16384);
    divided<<<64, 256>>>(d, 3.0, 16384);
    walked<<<64, 256>>>(d, e, 0);
    powers<<<64, 256>>>(out, in, 16384);
    remainders<<<64, 256>>>(out, in, 1000, 0);
    waves<<<64, 256>>>(out, in, 0);
    conflicts<<<1, dim3(32, 32)>>>(out, in, 16384);
    halves<<<64, 256>>>(out, 100);
}
