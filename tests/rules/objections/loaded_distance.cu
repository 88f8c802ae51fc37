// Each thread has a run of shared memory of its own, as long as loaded data say: a length that is
// even on purpose, so that with one element more there is no conflict.
__global__ void padded(float *out, const float *in, const unsigned *counts, int most)
{
    extern __shared__ float data[];
    unsigned tid = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned n = counts[blockIdx.x] + 1;
    float *own = data + tid * (n + 1);
    in += blockIdx.x * 256 * most + tid;
    out += blockIdx.x * 256 * most + tid;
#pragma unroll 1
    for (unsigned i = 0; i < n; i++)
        own[i] = in[i * 256];  // undecided: CU201 (loaded address) "lie apart by loaded data"
#pragma unroll 1
    for (unsigned i = 0; i < n; i++)
        out[i * 256] = own[i] * 0.5f;  // undecided: CU201 (loaded address)
}

// twice as many elements as is loaded: never an odd number of them
__global__ void doubled(float *out, const float *in, const unsigned *counts, int most)
{
    extern __shared__ float data[];
    unsigned tid = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned n = counts[blockIdx.x] + 1;
    float *own = data + tid * (2 * n);
    in += blockIdx.x * 256 * most + tid;
    out += blockIdx.x * 256 * most + tid;
#pragma unroll 1
    for (unsigned i = 0; i < n; i++)
        own[i] = in[i * 256];  // expect: CU201
#pragma unroll 1
    for (unsigned i = 0; i < n; i++)
        out[i * 256] = own[i] * own[n - i];  // also: CU201
}

void run(float *out, const float *in, const unsigned *counts, int blocks, int most)
{
    padded<<<blocks, dim3(32, 8), 256 * (most + 2) * 4>>>(out, in, counts, most);
    doubled<<<blocks, dim3(32, 8), 256 * (2 * most + 2) * 4>>>(out, in, counts, most);
}
