// What is longer than a thread's 255 registers: what registers need is no measure of it.
__global__ void blocks(float *out, const float *in, const int *order)
{
    float kept[1024];  // also: CU107
    int i = blockIdx.x * 32 + threadIdx.x;
    for (int k = 0; k < 1024; k++)
        kept[k] = in[i + k * 8192];  // expect: CU107 "accesses per warp; its 4096 bytes fit into no thread's registers" "let the lanes of a warp share one in shared memory"
    float sum = 0.0f;
    for (int k = 0; k < 64; k++)
        sum += kept[order[k * 8192 + i] & 1023];
    out[i] = sum;
}

// So long that shared memory holds none for each warp of a block: nothing can be done.
__global__ void longer(float *out, const float *in, const int *order)
{
    float kept[2048];  // also: CU107
    int i = blockIdx.x * 256 + threadIdx.x;
    for (int k = 0; k < 2048; k++)
        kept[k] = in[i + k * 8192];  // undecided: CU107 (the rule's own) "neither registers nor"
    float sum = 0.0f;
    for (int k = 0; k < 64; k++)
        sum += kept[order[k * 8192 + i] & 2047];
    out[i] = sum;
}

// One that fits.
__global__ void short_one(float *out, const float *in, const int *order)
{
    float kept[128];  // also: CU107
    int i = blockIdx.x * 32 + threadIdx.x;
    for (int k = 0; k < 128; k++)
        kept[k] = in[i + k * 8192];
    float sum = 0.0f;
    for (int k = 0; k < 64; k++)
        sum += kept[order[k * 8192 + i] & 127];  // expect: CU107 "accesses per warp where registers need none"
    out[i] = sum;
}

void launch(float *out, const float *in, const int *order)
{
    blocks<<<256, 32>>>(out, in, order);
    longer<<<32, 256>>>(out, in, order);
    short_one<<<256, 32>>>(out, in, order);
}
