// Less than a hundredth of the kernel's work, or than the rule speaks of.
__global__ void one_wave(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int r = 0; r < 1; r++)
        sum += __expf(in[i]) + logf(in[i] + r);  // refuted: CU706 (too small to report)
    for (int k = 0; k < n; k++)
        sum += in[k * 16384 + i];
    out[i] = sum;
}

// The array lies in local memory, and most of the work is the loop before it.
__global__ void one_vote(int *out, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++)
        sum ^= in[k * 16384 + i] * 3 + (sum >> 1);
    int votes[16] = {};
#pragma unroll 1
    for (int k = 0; k < 4; k++)
        votes[(sum >> k) & 15]++;  // refuted: CU107 (too small to report)
    out[i] = votes[sum & 15];
}

__global__ void one_reload(float *out, float *in, float *factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += factor[k * 16384 + i];
    out[i] = in[i] + sum;
    out[i + 16384] = in[i] - sum;  // refuted: CU503 (too small to report)
}

__global__ void one_sum(float *out, const float *in, int n, int turns)
{
    float sum = 0.0f, x = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int k = 0; k < n; k++)  // refuted: CU906 (too small to report)
        sum += in[k];
    for (int k = 0; k < turns; k++)
        x = x * sum + 1.0f;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

void launch(float *out, float *in, float *factor, int *j, int *l)
{
    one_vote<<<64, 256>>>(l, j, 2000);
    one_reload<<<64, 256>>>(out, in, factor, 12);
    one_sum<<<64, 256>>>(out, in, 40, 50000);
    one_wave<<<64, 256>>>(out, in, 2000);
}
