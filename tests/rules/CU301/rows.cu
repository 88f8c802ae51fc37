// Rows a power of two apart lie in few sets; what other threads hold decides, not the cache's size.

// A warp's sixteen lines are in one set of any cache that takes the set from the address's low bits.
__global__ void columns(float *out, const float *table, const float *weight, int turns)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int turn = 0; turn < turns; turn++)
        sum += weight[turn] * table[(warp * 16 + turn % 16) * 1024 + lane]; // expect: CU301 "others map to the same sets"; CU501
    out[warp * 32 + lane] = sum;
}

// The same with rows of 33 lines: every set has its share.
__global__ void padded(float *out, const float *table, const float *weight, int turns)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int turn = 0; turn < turns; turn++)
        sum += weight[turn] * table[(warp * 16 + turn % 16) * 1056 + lane]; // expect: CU501
    out[warp * 32 + lane] = sum;
}

// One block of eight warps holds 128 lines: a set has more ways than that.
__global__ void few(float *out, const float *table, const float *weight, int turns)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int turn = 0; turn < turns; turn++)
        sum += weight[turn] * table[(warp * 16 + turn % 16) * 1024 + lane]; // expect: CU501; CU109
    out[warp * 32 + lane] = sum;
}

// Every line is read once: it is missed, but nobody wants it again.
__global__ void once(float *out, const float *table, int rows)
{
    int lane = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int row = 0; row < rows; row++)
        sum += table[row * 1048576 + lane]; // ok
    out[lane] = sum;
}

void launch(float *out, const float *table, const float *weight)
{
    columns<<<216, 1024>>>(out, table, weight, 64);
    padded<<<216, 1024>>>(out, table, weight, 64);
    few<<<1, 256>>>(out, table, weight, 64);
    once<<<216, 1024>>>(out, table, 16);
}
