// What the threads of a multiprocessor read again and again, against the 192 KB of sm_80's L1.

// 64 warps with 8 KB each.
__global__ void much(float *out, const float *state, const float *weight, int turns)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int turn = 0; turn < turns; turn++)
        sum += weight[turn] * state[(warp * 64 + turn % 64) * 32 + lane]; // expect: CU302 "re-read more than 192 KB" "use one of `state` for several results"; CU501
    out[warp * 32 + lane] = sum;
}

// 64 warps with 1 KB each fit.
__global__ void little(float *out, const float *state, const float *weight, int turns)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int turn = 0; turn < turns; turn++)
        sum += weight[turn] * state[(warp * 8 + turn % 8) * 32 + lane]; // expect: CU501; CU109
    out[warp * 32 + lane] = sum;
}

// All warps read the same 8 KB: they bring them in for each other.
__global__ void shared(float *out, const float *state, const float *weight, int turns)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int turn = 0; turn < turns; turn++)
        sum += weight[turn] * state[(turn % 64) * 32 + lane]; // expect: CU501; CU109
    out[x] = sum;
}

// How far apart repetitions are is not known.
__global__ void loaded(float *out, const float *state, const int *at, int turns)  // refuted: CU601 (too small to report)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int turn = 0; turn < turns; turn++)
        sum += state[at[turn] * 1048576 + x]; // expect: CU501
    out[x] = sum;
}

void launch(float *out, const float *state, const float *weight, const int *at)
{
    much<<<216, 1024>>>(out, state, weight, 128);
    little<<<216, 1024>>>(out, state, weight, 128);
    shared<<<216, 1024>>>(out, state, weight, 128);
    loaded<<<216, 1024>>>(out, state, at, 32);
}
