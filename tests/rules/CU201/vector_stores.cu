// An array that is filled with vectors and read by elements: what frees it of conflicts leaves the
// vectors whole, and aligned.

__global__ void flat(float *out, const float4 *in, int step)
{
    __shared__ __align__(16) float tile[32 * 32];
    int t = threadIdx.x;
    for (int k = 0; k < 8; k++)
        reinterpret_cast<float4 *>(tile)[k * 32 + t] = in[(blockIdx.x * 8 + k) * 32 + t];
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 32; k++)
        sum = 0.5f * sum + tile[t * 32 + (k * step & 31)]; // expect: CU201 "i + ((i >> 5) << 2)"
    out[blockIdx.x * 32 + t] = sum;
}

// Rows of its own: they stay multiples of 16 bytes.
__global__ void rows(float *out, const float4 *in, int step)
{
    __shared__ __align__(16) float tile[32][32];
    int t = threadIdx.x;
    for (int k = 0; k < 8; k++)
        reinterpret_cast<float4 *>(tile[k * 4 + t / 8])[t % 8] = in[(blockIdx.x * 8 + k) * 32 + t];
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 32; k++)
        sum = 0.5f * sum + tile[t][k * step & 31]; // expect: CU201 "i + ((i >> 5) << 2)"
    out[blockIdx.x * 32 + t] = sum;
}

// The same, filled by elements: one word a row is enough.
__global__ void by_elements(float *out, const float *in, int step)
{
    __shared__ float tile[32][32];
    int t = threadIdx.x;
    for (int k = 0; k < 32; k++)
        tile[k][t] = in[(blockIdx.x * 32 + k) * 32 + t];
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 32; k++)
        sum = 0.5f * sum + tile[t][k * step & 31]; // expect: CU201 "by one element, from 32 to 33"
    out[blockIdx.x * 32 + t] = sum;
}

int main()
{
    float *out;
    float4 *in;
    cudaMalloc(&out, 1024 * 32 * sizeof(float));
    cudaMalloc(&in, 1024 * 32 * 32 * sizeof(float));
    flat<<<1024, 32>>>(out, in, 5);
    rows<<<1024, 32>>>(out, in, 5);
    by_elements<<<1024, 32>>>(out, reinterpret_cast<float *>(in), 5);
}
