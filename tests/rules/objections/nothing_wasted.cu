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

void launch(float *out, const float *in, double *d, const double *e, unsigned char *b)
{
    few_turns<<<16, 256>>>(out, in);
    counted<<<64, 256>>>(d, e);
    half_warps<<<64, 256>>>(out, in);
    first_byte<<<64, 256>>>(b, b + 65536);
    first_body<<<64, 256>>>((Body *)out);
}
