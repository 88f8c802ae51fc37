// What sm_80 holds at a time: 108 multiprocessors, 2,048 threads each.
__global__ void iterate(float *data, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i];
    for (int k = 0; k < turns; k++)
        x = x * 0.999f + 0.5f;
    data[i] = x;
}

// A thousand waves: the last one hardly matters.
__global__ void many(float *data, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i];
    for (int k = 0; k < turns; k++)
        x = x * 0.999f + 0.5f;
    data[i] = x;
}

// Of its 23 blocks for a multiprocessor at most one is more than its share.
__global__ void spread(float *data, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i];
    for (int k = 0; k < turns; k++)
        x = x * 0.999f + 0.5f;
    data[i] = x;
}

// One wave.
__global__ void one(float *data, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i];
    for (int k = 0; k < turns; k++)
        x = x * 0.999f + 0.5f;
    data[i] = x;
}

// It is over before it matters.
__global__ void brief(float *data, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i];
    for (int k = 0; k < turns; k++)
        x = x * 0.999f + 0.5f;
    data[i] = x;
}

// How long each block runs depends on data.
__global__ void search(float *data, const int *turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i];
    for (int k = 0; k < turns[blockIdx.x] + 8000; k++)
        x = x * 0.999f + 0.5f;
    data[i] = x;
}

void launch(float *data, const int *turns)
{
    iterate<<<900, 256>>>(data, 8000);  // expect: CU406 "900 blocks take 2 waves of 864, the last one with 36: at least 7% of the time is lost, 48% if few run no faster" "outputs a thread, computed side by side"  // refuted: CU406 (nothing to report)
    iterate<<<450, 256>>>(data, 8000);
    many<<<864001, 256>>>(data, 8000);
    spread<<<2480, 128>>>(data, 8000);  // undecided: CU406 (the rule's own) "0.2% is lost"
    one<<<864, 256>>>(data, 8000);
    brief<<<900, 256>>>(data, 10);  // refuted: CU406 (nothing wasted)
    search<<<900, 256>>>(data, turns);  // undecided: CU406 (invented data decides)
}
