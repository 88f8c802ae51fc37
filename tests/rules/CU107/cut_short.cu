// A run that was cut short has seen some of the accesses.
__global__ void best(const float *scores, float *out, int tokens, int experts, int k)
{
    int t = blockIdx.x * 256 + threadIdx.x;
    if (t >= tokens)
        return;
    float own[512];  // also: CU107
    for (int i = 0; i < experts; ++i)
        own[i] = scores[i * tokens + t];  // expect: CU107 "dynamically: at least"
    for (int j = 0; j < k; ++j) {
        float most = -1.0f;
        int at = 0;
        for (int i = 0; i < experts; ++i)
            if (most < own[i]) {
                most = own[i];
                at = i;
            }
        out[j * tokens + t] = most;
        own[at] = -1.0f;
    }
}

// One that came to its end has seen all.
__global__ void last(const float *scores, float *out, int tokens, int experts)
{
    int t = blockIdx.x * 256 + threadIdx.x;
    float own[512];  // also: CU107
    for (int i = 0; i < experts; ++i)
        own[i] = scores[i * tokens + t];  // expect: CU107 "dynamically: 129 accesses"
    out[t] = own[t & 511];
}

void launch(const float *scores, float *out)
{
    best<<<64, 256>>>(scores, out, 16384, 512, 256);
    last<<<64, 256>>>(scores, out, 16384, 512);
}
