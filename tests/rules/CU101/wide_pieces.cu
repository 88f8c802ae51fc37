// Pieces of 16 bytes, the widest that a thread can load: no vector takes in what lies between.
__global__ void pieces(float *out, const float4 *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 piece = in[i * 4];  // expect: CU101 "neighbouring pieces of 16 bytes"
    out[i] = piece.x * piece.w + piece.y * piece.z;
}

// All of a record by such loads: each leaves the rest of its sectors to the next, in L1.
__global__ void records(float *out, const float4 *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 a = in[i * 2], b = in[i * 2 + 1];
    out[i] = a.x * a.w + a.y * a.z + b.x * b.w + b.y * b.z;
}

__global__ void eights(float *out, const float4 *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 8; k++) {
        float4 a = in[i * 8 + k];  // undecided: CU101 (the rule's own)
        sum += a.x * a.w + a.y * a.z;
    }
    out[i] = sum;
}

// Rows of more than a line: a warp has more of them than L1 keeps.
__global__ void rows(float *out, const float4 *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 16; k++) {
        float4 a = in[i * 16 + k];  // expect: CU101
        sum += a.x * a.w + a.y * a.z;
    }
    out[i] = sum;
}

void launch(float *out, const float4 *in)
{
    pieces<<<864, 256>>>(out, in);
    records<<<864, 256>>>(out, in);
    eights<<<864, 256>>>(out, in);
    rows<<<864, 256>>>(out, in);
}
