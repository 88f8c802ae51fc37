// Strides in a struct that is passed by value, as tensors' accessors have them.
struct Accessor {
    float *data;
    int strides[3];
};

__global__ void innermost(Accessor in, float *out)
{
    int x = threadIdx.x % 64, y = threadIdx.x / 64;
    out[blockIdx.x * blockDim.x + threadIdx.x] =
        in.data[blockIdx.x * in.strides[0] + y * in.strides[1] + x * in.strides[2]];  // undecided: CU101 (stride of a struct) "may be 1"
}

__global__ void rows(Accessor in, float *out)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    out[row] = in.data[row * 64];  // expect: CU101 "256 bytes apart"
}

void launch(Accessor in, float *out)
{
    innermost<<<64, 256>>>(in, out);
    rows<<<64, 256>>>(in, out);
}
