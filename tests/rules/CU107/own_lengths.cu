// A loop that walks through a thread's own array turns no further than that reaches, whatever size
// is invented for it.
__global__ void norms(float2 *filters, int size, int directions)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size)
        return;
    float2 kept[32];  // also: CU107
    float sum = 0.0f;
    for (int d = 0; d < directions; d++) {
        kept[d] = filters[d * size + i];  // expect: CU107 "32 accesses per warp"
        sum += kept[d].x * kept[d].x + kept[d].y * kept[d].y;
    }
    for (int d = 0; d < directions; d++)
        filters[d * size + i] = make_float2(kept[d].x + sum, kept[d].y - sum);
}

// What wraps around may turn as often as it likes.
__global__ void recent(float *out, const float *in, int size, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size)
        return;
    float kept[32];  // also: CU107
#pragma unroll 1
    for (int k = 0; k < 32; k++)
        kept[k] = 0.0f;  // expect: CU107 "2337 accesses per warp"
#pragma unroll 1
    for (int k = 0; k < count; k++)
        kept[(k * 5) & 31] += in[k * size + i];
    out[i] = kept[size & 31];
}

void launch(float2 *filters, float *out, const float *in, int size, int directions, int count)
{
    norms<<<(size + 255) / 256, 256>>>(filters, size, directions);
    recent<<<(size + 255) / 256, 256>>>(out, in, size, count);
}
