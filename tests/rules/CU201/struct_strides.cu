// Elements of shared memory that loaded data pick: where the data lie apart by a stride that nothing
// tells, as tensors' accessors have it, what data in order are is not known.

struct Rows {
    const int *data;
    int stride;
};

__global__ void picked(float *out, Rows index)
{
    __shared__ float values[2048];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    for (int k = 0; k < 4; k++)
        values[k * 256 + t] = k;
    __syncthreads();
    int first = index.data[i * index.stride];  // undecided: CU101 (stride of a struct) "may be 1"
    float sum = 0;
    for (int k = 0; k < 32; k++)
        sum += values[32 * k + first];  // undecided: CU201 (stride of a struct) "what it loads its index from"
    out[i] = sum;
}

__global__ void every_other(float *out, const int *index)
{
    __shared__ float values[2048];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    for (int k = 0; k < 4; k++)
        values[k * 256 + t] = k;
    __syncthreads();
    int first = index[i * 2];  // expect: CU101
    float sum = 0;
    for (int k = 0; k < 32; k++)
        sum += values[32 * k + first];  // expect: CU201 "2-way"
    out[i] = sum;
}

void launch(float *out, Rows rows, const int *index)
{
    picked<<<512, 256>>>(out, rows);
    every_other<<<512, 256>>>(out, index);
}
