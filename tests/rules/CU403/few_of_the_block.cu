// Blocks that fill no whole warps, by how many of their threads have something to do.

// ok: one thread does it all, and more threads would leave as well
__global__ void by_one(float *out, const float *in, int n)
{
    if (threadIdx.x != 0)  // expect: CU901 "one thread of each block"
        return;
    float sum = 0.0f;
    for (int i = 0; i < n; i++)  // also: CU901
        sum += in[blockIdx.x * n + i];  // also: CU901
    out[blockIdx.x] = sum;
}

// ok: a few rows of each block, which are as many however large it is
__global__ void by_a_row(float *out, const float *in, int n)
{
    if (threadIdx.x >= 8)  // expect: CU901 "do this alone"
        return;
    float sum = 0.0f;
    for (int i = 0; i < n; i++)  // also: CU901
        sum += in[i * 2048 + blockIdx.x * 8 + threadIdx.x] * sum;  // also: CU901
    out[blockIdx.x * 8 + threadIdx.x] = sum;
}

// All threads work, and one of them a little longer.
__global__ void by_all(float *out, const float *in, int n)
{
    __shared__ float last[100];
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += in[i * 25600 + blockIdx.x * 100 + threadIdx.x] * sum;
    last[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = last[0] + last[99];
}

void launch(float *out, const float *in)
{
    by_one<<<256, 100>>>(out, in, 500);
    by_a_row<<<256, 40>>>(out, in, 500);
    by_all<<<256, 100>>>(out, in, 500);  // expect: CU403 "28 of 128 lanes are idle"
}
