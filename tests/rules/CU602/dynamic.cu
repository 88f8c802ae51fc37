// The launch says how large the array is: it becomes a variable, unless it has another name, too.
__global__ void own(float *out, const float *in)
{
    extern __shared__ float kept[];
    int t = threadIdx.x;
    kept[t] = in[blockIdx.x * 256 + t];
    __syncthreads();  // expect: CU902
    kept[t] = 2.0f * kept[t];  // expect: CU602 "`kept`"
    out[blockIdx.x * 256 + t] = kept[t];
}

__global__ void renamed(float *out, const float *in)
{
    extern __shared__ float halves[];
    extern __shared__ float doubles[];
    int t = threadIdx.x;
    halves[t] = in[blockIdx.x * 256 + t];
    __syncthreads();  // expect: CU902
    doubles[t] = 2.0f * halves[t];  // expect: CU602  // undecided: CU602 (a small share)
    out[blockIdx.x * 256 + t] = doubles[t];
}

void launch(float *out, const float *in)
{
    own<<<64, 256, 256 * sizeof(float)>>>(out, in);
    renamed<<<64, 256, 256 * sizeof(float)>>>(out, in);
}
