// Arrays so small that L1 keeps them, at whatever address: 4 KB, by what the launch allocates.
struct Entry {
    float low, high, mean, width, low2, high2, mean2, width2;
};

__global__ void pairs(float *out, const float *table, const int *start)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float *row = table + start[blockIdx.x];
    out[i] = row[2 * threadIdx.x] * row[2 * threadIdx.x + 1];  // refuted: CU102 (only a table)
}

__global__ void entries(float *out, const Entry *table, const int *start)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const Entry *own = table + start[blockIdx.x] + threadIdx.x;
    out[i] = own->mean * own->low2 + own->width2;  // refuted: CU104 (only a table)
}

void launch(float *out, const int *start)
{
    float *table;
    cudaMalloc(&table, 4096);
    pairs<<<64, 256>>>(out, table, start);
    entries<<<64, 64>>>(out, (Entry *)table, start);
}
