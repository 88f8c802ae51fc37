// Pieces of 16 bytes, the widest that a thread can load: no vector takes in what lies between.
__global__ void pieces(float *out, const float4 *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 piece = in[i * 4];  // expect: CU101 "neighbouring pieces of 16 bytes"
    out[i] = piece.x * piece.w + piece.y * piece.z;
}

void launch(float *out, const float4 *in) { pieces<<<864, 256>>>(out, in); }
