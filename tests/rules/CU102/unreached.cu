// Groups that no run comes to, as data would have it: what their formulas say.
struct Lists {
    float *addresses[2][24];
    int sizes[24];
    int tensor_of[320];
};

// The vectors are there already: these are for arrays that are not aligned.
__global__ void where_aligned(Lists lists, const int *skip, int chunk)
{
    if (*skip)
        return;
    int at = lists.tensor_of[blockIdx.x];
    int n = lists.sizes[at];
    float *in = lists.addresses[0][at], *out = lists.addresses[1][at];
    n = n < chunk ? n : chunk;
    bool aligned = n % 4 == 0 && (unsigned long long)in % 16 == 0 &&
                   (unsigned long long)out % 16 == 0;
    for (int i = threadIdx.x * 4; i < n; i += blockDim.x * 4) {
        float v[4];
        if (aligned) {
            *(float4 *)v = *(const float4 *)(in + i);
        } else {
#pragma unroll
            for (int k = 0; k < 4; k++)
                v[k] = i + k < n ? in[i + k] : 0.0f;
        }
        for (int k = 0; k < 4; k++)
            v[k] *= 2.0f;
        if (aligned) {
            *(float4 *)(out + i) = *(const float4 *)v;
        } else {
#pragma unroll
            for (int k = 0; k < 4; k++)
                if (i + k < n)
                    out[i + k] = v[k];
        }
    }
}

__global__ void scalars_alone(const int *skip, const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (skip[0] == 1234567) {
        float sum = in[4 * i] + in[4 * i + 1] +  // expect: CU102 "64 sectors together where 16" "not reached"
                    in[4 * i + 2] + in[4 * i + 3];
        out[i] = sum;
    }
}

void launch(Lists lists, const int *skip, float *a)
{
    where_aligned<<<320, 512>>>(lists, skip, 65536);
    scalars_alone<<<64, 256>>>(skip, a, a);
}
