// A grid-stride sum whose last steps one thread does: what share they are depends on `n`.
__global__ void total(float *out, const float *in, int n)
{
    __shared__ float row[256];
    float sum = 0.0f;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x)
        sum += in[i];
    row[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {  // undecided: CU901 (invented data decides) "depends on arguments that are not known"
        float all = 0.0f;
        for (int k = 0; k < 256; k++)  // also: CU901
            all += row[k];  // also: CU901
        out[blockIdx.x] = all;
    }
}

// All of it is in the loop: it is the same share for every `n`.
__global__ void alternating(float *out, const float *in, int n)
{
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += 128 * gridDim.x) {
        float x = in[i];
        if (threadIdx.x % 2 == 0)  // expect: CU901
            for (int k = 0; k < 64; k++)
                x = x * 0.5f + 1.0f;
        out[i] = x;
    }
}

void launch(float *out, const float *in, int n)
{
    total<<<8, 256>>>(out, in, n);
    alternating<<<4, 128>>>(out, in, n);
}
