// Floats are added in whatever order blocks of another shape come to it.
__global__ void added(float *out, const float *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    atomicAdd(&out[y * w + x], in[y * w + x]);  // refuted: CU101 (nothing wasted); CU105 (nothing wasted); CU108 (nothing wasted)
}

__global__ void squares(float *out, const float *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    atomicAdd(&out[y * w + x], in[y * w + x]);
}

void launch(float *out, const float *in)
{
    squares<<<dim3(64, 64), dim3(16, 16)>>>(out, in, 1024);  // undecided: CU401 (the rule's own)
    added<<<dim3(128, 32), dim3(8, 32)>>>(out, in, 1024);  // undecided: CU402 (the rule's own)
}
