// What a multiprocessor of sm_80 holds: 64 warps, 32 blocks, 65,536 registers, 164 KB shared.
__global__ void small_blocks(float *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = 2.0f * data[i];
}

__global__ void much_shared(float *data)
{
    __shared__ float part[10240];
    int t = threadIdx.x;
    for (int i = t; i < 10240; i += 64)
        part[i] = data[blockIdx.x * 10240 + i];
    __syncthreads();
    data[blockIdx.x * 64 + t] = part[10239 - t];
}

__global__ void dynamic_shared(float *data)
{
    extern __shared__ float part[];
    int t = threadIdx.x;
    part[t] = data[blockIdx.x * 128 + t];
    __syncthreads();
    data[blockIdx.x * 128 + t] = part[127 - t];
}

__global__ void many_registers(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x[160];
#pragma unroll
    for (int k = 0; k < 160; k++)
        x[k] = in[k * 131072 + i];
    for (int turn = 0; turn < 4096; turn++)
        x[0] += in[turn * 131072 + i];
#pragma unroll
    for (int k = 0; k < 160; k++)
        out[k * 131072 + i] = x[k] * x[159 - k];
}

// What one warp does while another waits hides what a load takes, as in a matrix product whose tile
// lies in registers.
__global__ void registers_well_spent(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x[160];
#pragma unroll
    for (int k = 0; k < 160; k++)
        x[k] = in[k * 131072 + i];
#pragma unroll
    for (int k = 0; k < 160; k++)
        out[k * 131072 + i] = x[k] * x[159 - k];
}

__global__ void another_small_one(float *out, const float *in)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    out[i] = in[i] * in[i];
}

// ok: all warps are held
__global__ void full(float *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = 2.0f * data[i];
}

// ok: a tile of 16 KB with 256 threads
__global__ void tile(float *data)
{
    __shared__ float part[4096];
    int t = threadIdx.x;
    for (int i = t; i < 4096; i += 256)
        part[i] = data[blockIdx.x * 4096 + i];
    __syncthreads();
    for (int i = t; i < 4096; i += 256)
        data[blockIdx.x * 4096 + i] = part[4095 - i];
}

// ok: too few blocks to fill anything
__global__ void few(float *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = 2.0f * data[i];
}

// ok: 64 threads: 32 blocks are all warps
__global__ void pairs(float *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = 2.0f * data[i];
}

// ok: some registers
__global__ void some_registers(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x[24];
#pragma unroll
    for (int k = 0; k < 24; k++)
        x[k] = in[k * 131072 + i];
#pragma unroll
    for (int k = 0; k < 24; k++)
        out[k * 131072 + i] = x[k] * x[23 - k];
}

// ok: assumed to be launched with 256
__global__ void unknown(float *data)
{
    data[threadIdx.x] = 1.0f;
}

void launch(float *out, const float *in)
{
    small_blocks<<<4096, 32>>>(out);  // expect: CU405 "32 of 64 warps" "limited by blocks"
    much_shared<<<512, 64>>>(out);  // expect: CU405 "limited by shared memory" "40,960 bytes"
    dynamic_shared<<<512, 128, 49152>>>(out);  // expect: CU405 "49,152 bytes"
    many_registers<<<512, 256>>>(out, in);  // expect: CU405 "limited by registers"
    registers_well_spent<<<512, 256>>>(out, in);  // undecided: CU405 (the rule's own) "hides its latency"
    another_small_one<<<4096, 32>>>(out, in);  // expect: CU405 "at most 32 resident blocks"
    full<<<1024, 256>>>(out);
    tile<<<1024, 256>>>(out);
    few<<<64, 32>>>(out);
    pairs<<<4096, 64>>>(out);
    some_registers<<<512, 256>>>(out, in);
}
