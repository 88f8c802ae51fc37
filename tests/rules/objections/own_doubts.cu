// Floats are added in whatever order blocks of another shape come to it.
__global__ void added(float *out, const float *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    atomicAdd(&out[y * w + x], in[y * w + x]);  // refuted: CU101 (nothing wasted); CU105 (nothing wasted); CU108 (nothing wasted)
}

__global__ void squares(float *out, const float *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    atomicAdd(&out[y * w + x], in[y * w + x]);
}

// What is proposed does not compile: with other types there is no such function or operator.
template <class T> __device__ T larger(T a, T b) { return a > b ? a : b; }
__device__ double2 operator/(double2 a, double b) { return make_double2(a.x / b, a.y / b); }
__device__ float2 operator/(float2 a, float b) { return make_float2(a.x / b, a.y / b); }
struct Step {
    double v;
};
__device__ Step operator*(Step a, int k) { return {a.v * k}; }
__device__ double least() { return 1.5; }

__global__ void scaled(float *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = larger(data[i] * 0.1, least());  // undecided: CU701 (the rule's own)
}

__global__ void powers(float *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double wide = data[i];
    data[i] = larger(powf(wide, 2), 1.5f);  // undecided: CU704 (the rule's own)
}

__global__ void divided(double *data, const double2 *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = (in[i] / 3.0).x / in[i].y;  // expect: CU102  // undecided: CU702 (the rule's own)
}

__global__ void walked(double *data, double by, Step step, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        data[k * 16384 + i] = (step * k).v * by;  // undecided: CU703 (the rule's own)
}

__global__ void quotients(float *data, const float2 *in, float by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += (in[k * 16384 + i] / by).x / in[k * 16384 + i].y;  // expect: CU102  // undecided: CU706 (the rule's own)
    data[i] = sum;
}

// Its static shared memory is more than ptxas takes, so that nothing is known of its registers.
__global__ void large(float *out, const float *in, const int *at)
{
    __shared__ float tile[13000];
    float x[64];  // also: CU107
    for (int k = 0; k < 64; k++)
        x[at[k] & 63] = in[k * 16384 + threadIdx.x];  // expect: CU501  // undecided: CU107 (the rule's own)
    float sum = 0.0f;
    for (int k = 0; k < 64; k++)
        sum += x[at[k + 64] & 63];
    tile[threadIdx.x] = sum;
    __syncthreads();
    out[threadIdx.x] = tile[255 - threadIdx.x];
}

// It divides by zero: a compiler that knows it makes anything of that.
__global__ void rests(int *out, const int *in, int n)  // undecided: CU601 (the rule's own)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = in[i];
    for (int k = 0; k < n; k++)
        x = x * 5 + x % (n - 8);
    out[i] = x;
}

void launch(float *out, const float *in)
{
    squares<<<dim3(64, 64), dim3(16, 16)>>>(out, in, 1024);  // undecided: CU401 (the rule's own)
    added<<<dim3(128, 32), dim3(8, 32)>>>(out, in, 1024);  // undecided: CU402 (the rule's own)
    scaled<<<64, 256>>>(out);
    powers<<<64, 256>>>(out);
    divided<<<64, 256>>>((double *)out, (const double2 *)in);
    walked<<<64, 256>>>((double *)out, 3.0, Step{2.0}, 100);
    quotients<<<64, 256>>>(out, (const float2 *)in, 3.0f, 100);
    large<<<1, 256>>>(out, in, (const int *)in + 65536);
    rests<<<64, 256>>>((int *)out, (const int *)in, 8);
}
