// Suspected by their looks, and the runs find hardly anything to win.
__global__ void few_turns(float *out, const float *in)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int y = 0; y < 2; y++)
        out[x] += in[y * 4096 + x];  // refuted: CU106 (nothing wasted)
}

// The addition needs what the product needs.
__global__ void counted(double *out, const double *step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double total = 0.0;
    for (int k = 0; k < 4; k++)
        total += step[i] * k;
    out[i] = total;
}

// Half of the lanes move both parts of a pair: 32 sectors at a time, and all of their bytes.
__global__ void half_warps(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 32 < 4)  // expect: CU901
        out[i] = in[2 * i] * in[2 * i + 1];  // refuted: CU102 (nothing wasted)
}

__global__ void first_byte(unsigned char *out, const unsigned char *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 32 < 4)  // expect: CU901
        out[i] = 255 - in[i];  // refuted: CU103 (nothing wasted)
}

struct Body {
    float x, y, z, vx, vy, vz, mass, charge;
};

__global__ void first_body(Body *all)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 32 == 0)  // expect: CU901
        all[i].x += all[i].vx;  // refuted: CU104 (nothing wasted)
}

// Most of the registers that its bound leaves are alive at once, and still none is spilled.
__global__ __launch_bounds__(1024) void alive(float *out, const float *in)  // refuted: CU107 (nothing wasted)
{
    float x[52];
#pragma unroll
    for (int k = 0; k < 52; k++)
        x[k] = in[k * 16384 + threadIdx.x];
#pragma unroll
    for (int k = 0; k < 52; k++)
#pragma unroll
        for (int j = 0; j < 52; j++)
            if (j != k)
                x[k] = x[k] * x[j] + 1.0f;
#pragma unroll
    for (int k = 0; k < 52; k++)
        out[k * 16384 + threadIdx.x] = x[k];
}

// Registers limit what is resident: larger blocks would do no better.
__global__ void one_warp(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x[30];
#pragma unroll
    for (int k = 0; k < 30; k++)
        x[k] = in[k * 16384 + i];
#pragma unroll
    for (int k = 0; k < 30; k++)
#pragma unroll
        for (int j = 0; j < 30; j++)
            if (j != k)
                x[k] = x[k] * x[j] + 1.0f;
#pragma unroll
    for (int k = 0; k < 30; k++)
        out[k * 16384 + i] = x[k];
}

// What it stores to `own` itself, no promise about other pointers keeps in a register.
__global__ void marked(float *out, float *in, float *own, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++) {
        out[k * 16384 + i] = in[i] * own[i];  // expect: CU503  // refuted: CU503 (nothing wasted)
        own[i + k] = 1.0f;
    }
}

// It is double already, whatever the constant is.
__device__ double squared(float x) { return static_cast<double>(x) * x; }

__global__ void square(float *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = squared(data[i]) + 0.1;  // refuted: CU701 (nothing wasted)
}

// The loop has no turn: a reciprocal before it only costs.
__global__ void no_turn(double *out, const double *in, double by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        out[k * 16384 + i] = in[k * 16384 + i] / by;  // refuted: CU702 (nothing wasted)
}

void launch(float *out, const float *in, double *d, const double *e, unsigned char *b)
{
    few_turns<<<16, 256>>>(out, in);
    counted<<<64, 256>>>(d, e);
    half_warps<<<64, 256>>>(out, in);
    first_byte<<<64, 256>>>(b, b + 65536);
    first_body<<<64, 256>>>((Body *)out);
    alive<<<1, 1024>>>(out, in);
    one_warp<<<65536, 32>>>(out, in);  // refuted: CU405 (nothing wasted)
    marked<<<64, 256>>>(out, (float *)in, (float *)d, 16);
    square<<<64, 256>>>(out);
    no_turn<<<64, 256>>>(d, d + 65536, 3.0, 0);
}
