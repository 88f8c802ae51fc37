// Of the parts of one element the compiler makes one access, which has the line of one of them.
__global__ void pairs(const float2 *in, float2 *out, int taps, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    for (int k = 0; k < taps; ++k) {
        float2 x = in[i + k];  // expect: CU109
        out[i].x += k * x.x;  // also: CU106
        out[i].y += k * x.y;  // expect: CU106 "store to `out`"
    }
}

// What has an access of its own, or takes the same part again, is no part of this one's.
__global__ void sums(const float2 *in, float *out, float *last, int taps, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
    for (int k = 0; k < taps; ++k) {
        sum += in[i + k].x * k;  // undecided: CU101 (the rule's own)
        out[i] += in[i + k].x;  // expect: CU106 "store to `out`"; CU503
        last[i] = sum;  // expect: CU106 "store to `last`"
    }
}

void launch(const float2 *in, float2 *out, float *sum, float *last, int n)
{
    pairs<<<4096, 256>>>(in, out, 128, n);
    sums<<<4096, 256>>>(in, sum, last, 128, n);
}
