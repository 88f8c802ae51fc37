// Of several arrays of a thread each has its own extent, beyond which no invented size leads.
__global__ void best(const float *scores, float *out, int tokens, int experts, int k)
{
    int t = blockIdx.x * 256 + threadIdx.x;
    if (t >= tokens)
        return;
    float own[64];  // also: CU107
    float kept[8];  // also: CU107
    const float *row = scores + t * experts;
    for (int i = 0; i < experts; ++i)
        own[i] = row[i];  // expect: CU101 "(256 here)"; CU107 "152 accesses per warp"
    for (int j = 0; j < k; ++j) {
        float most = -1.0f;
        int at = 0;
        for (int i = 0; i < experts; ++i)
            if (most < own[i]) {
                most = own[i];
                at = i;
            }
        kept[j] = most;  // expect: CU107 "`kept`"
        own[at] = -1.0f;
    }
    for (int j = 0; j < k; ++j)
        out[t * k + j] = kept[j];  // expect: CU101 "(32 here)"
}

// Arrays of a structure, and what lies behind an array's eighth element, are of one array.
struct Halves {
    float low[48], high[16];
};

__global__ void sums(const float *in, float *out, int size, int count)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= size)
        return;
    Halves halves;
#pragma unroll 1
    for (int k = 0; k < count; k++)
        halves.low[k] = in[i * count + k];  // expect: CU101 "(256 here)"
    float *behind = halves.low + 8;
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < count / 2; k++)
        sum += behind[k];
    out[i] = sum + halves.high[size & 15];
}

void launch(const float *scores, float *out, int tokens, int experts, int k, int size, int count)
{
    best<<<(tokens + 255) / 256, 256>>>(scores, out, tokens, experts, k);
    sums<<<(size + 255) / 256, 256>>>(scores, out, size, count);
}
