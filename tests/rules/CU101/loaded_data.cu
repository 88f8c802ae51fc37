// Where an address or a guard hangs on data that a host filled, the fill must not decide.
__global__ void gather(float *out, const float *in, const int *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[index[i]];  // undecided: CU101 "load from `in`" "loaded data"
}

__global__ void gather_rows(float *out, const float *in, const int *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[index[i] * 64];  // expect: CU101 "load from `in`" "identity data both scatter"
}

__global__ void guarded(float *out, const float *in, const int *flags, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (flags[i] > 3)
        out[i * n] = in[i];  // undecided: CU101 "data that is not known"
}

__global__ void trip_count(float *out, const float *in, const int *ends)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int j = 0; j < ends[i]; j++)
        sum += in[i * 128 + j];  // undecided: CU101
    out[i] = sum;
}
