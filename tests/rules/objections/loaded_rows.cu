// Rows of shared memory that each lane's own data choose: which banks they begin in, their length
// says.
__global__ void gathered(float *out, const int *row, int length, int turns)
{
    extern __shared__ float tile[];
    for (int k = threadIdx.x; k < 32 * length; k += 256) tile[k] = k * 0.5f;
    __syncthreads();
    int own = row[blockIdx.x * 256 + threadIdx.x] & 31;
    float sum = 0;
    for (int k = 0; k < turns; k++)
        sum += tile[own * length + (threadIdx.x + k & 3)];  // undecided: CU201 (loaded address) "whose length nothing tells"
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// rows of 32 begin in one bank whatever the data are
__global__ void fixed(float *out, const int *row, int turns)
{
    __shared__ float tile[32 * 32];
    for (int k = threadIdx.x; k < 32 * 32; k += 256) tile[k] = k * 0.5f;
    __syncthreads();
    int own = row[blockIdx.x * 256 + threadIdx.x] & 31;
    float sum = 0;
    for (int k = 0; k < turns; k++)
        sum += tile[own * 32 + (threadIdx.x + k & 3)];  // expect: CU201
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

void run(float *out, const int *row, int blocks, int length, int turns)
{
    gathered<<<blocks, 256, 32 * length * 4>>>(out, row, length, turns);
    fixed<<<blocks, 256>>>(out, row, turns);
}
