// Neighbours of one thread that are aligned for every thread: ptxas makes one access of them.
__global__ void quads(float *out, const float *in)
{
    __shared__ float s[1024];
    int t = threadIdx.x;
    for (int j = 0; j < 4; j++)
        s[4 * t + j] = in[j * 256 + t];  // refuted: CU201 (nothing to report) "one access of 16 bytes"
    __syncthreads();
    out[t] = s[255 - t];
}

__global__ void pairs(float *out, const float *in)
{
    __shared__ float s[512];
    int t = threadIdx.x;
    s[2 * t] = in[t];            // refuted: CU201 (nothing to report) "one access of 8 bytes"
    s[2 * t + 1] = in[256 + t];  // refuted: CU201 (nothing to report)
    __syncthreads();
    out[t] = s[t] + s[t + 256];
}

// No run comes here: the formula speaks.
__global__ void unreached(float *out, const float *in, const int *flag)
{
    __shared__ float s[1024];
    int t = threadIdx.x;
    s[t] = s[t + 256] = s[t + 512] = s[t + 768] = 0.0f;
    __syncthreads();
    if (flag[t] == 1234567)
        for (int j = 0; j < 4; j++)
            s[4 * t + j] = in[j * 256 + t];  // refuted: CU201 (nothing to report) "one access of 16 bytes"
    __syncthreads();
    out[t] = s[255 - t];
}

// A vector in rows of another length has conflicts of its own.
__global__ void rows(float *out, const float *in)
{
    __shared__ float s[64 * 20 + 16];
    int t = threadIdx.x, at = t / 4 * 20 + t % 4 * 4;
    for (int j = 0; j < 4; j++)
        s[at + j] = in[j * 256 + t];  // expect: CU201 "2-way" "8 wavefronts" "one access of 16 bytes"
    __syncthreads();
    out[t] = s[t];
}

// Not aligned, or not for all that ptxas knows, or with a store between: they stay apart.
__global__ void apart(float *out, const float *in, int k)
{
    __shared__ float s[2048];
    int t = threadIdx.x;
    s[4 * t + 1] = in[t];        // also: CU201
    s[4 * t + 2] = in[256 + t];  // also: CU201
    __syncthreads();
    out[t] = s[t * k] + s[t * k + 1];  // expect: CU201 "8-way"
}

void launch(float *out, const float *in)
{
    quads<<<1024, 256>>>(out, in);
    pairs<<<1024, 256>>>(out, in);
    unreached<<<1024, 256>>>(out, in, (const int *)in);
    rows<<<1024, 256>>>(out, in);
    apart<<<1024, 256>>>(out, in, 8);
}
