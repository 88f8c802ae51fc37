// Three indices beside the many elements that they pick: what vectors save is a part of these three
// alone, however many other accesses are scattered as much.

__global__ void products(float *out, const int *__restrict__ picks, const float *__restrict__ blocks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float *a = blocks + 72 * i, *b = blocks + 72 * 32768 + 72 * i;
    float sum = (float)picks[3 * i] + (float)picks[3 * i + 1] + (float)picks[3 * i + 2];  // undecided: CU102 (a small share)
#pragma unroll
    for (int k = 0; k < 36; k++)
        sum += a[2 * k] * b[2 * k];  // expect: CU101
    out[i] = sum;
}

// Here there is nothing else.
__global__ void sums(float *out, const int *__restrict__ picks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (float)picks[3 * i] + (float)picks[3 * i + 1] + (float)picks[3 * i + 2];  // expect: CU102
}

void launch(float *out, const int *picks, const float *blocks)
{
    products<<<128, 256>>>(out, picks, blocks);
    sums<<<128, 256>>>(out, picks);
}
