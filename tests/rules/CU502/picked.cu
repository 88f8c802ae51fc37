// Loaded numbers pick from a table of constants: those that are made up go past its end.
__constant__ int scores[24 * 24];
__constant__ float gain[2];

__global__ void aligned(int *best, const int *__restrict__ query, const int *__restrict__ data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = query[i] * 24, sum = 0;
    for (int j = 0; j < 64; j++)
        sum = max(0, sum + scores[row + data[j * 65536 + i]]);  // expect: CU502 "different addresses"
    best[i] = sum;
}

// however the program's numbers pick from two elements, a warp reads no more than these
__global__ void amplified(float *out, const int *__restrict__ high, const float *__restrict__ in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * gain[high[i]];  // refuted: CU502 (nothing wasted)
}

// a cell's material alone: large regions have one
__constant__ float2 materials[16];

__global__ void updated(float *field, const int *__restrict__ material, const float *__restrict__ curl)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 m = materials[material[i]];  // undecided: CU502 (out of its region) "left its allocation"
    field[i] = m.x * field[i] + m.y * curl[i];
}

int main()
{
    int *best;
    float *out, *in;
    int *query, *data;
    cudaMalloc(&best, 65536 * sizeof(int));
    cudaMalloc(&out, 65536 * sizeof(float));
    cudaMalloc(&in, 65536 * sizeof(float));
    cudaMalloc(&query, 65536 * sizeof(int));
    cudaMalloc(&data, 64 * 65536 * sizeof(int));
    aligned<<<256, 256>>>(best, query, data);
    amplified<<<256, 256>>>(out, query, in);
    updated<<<256, 256>>>(out, query, in);
}
