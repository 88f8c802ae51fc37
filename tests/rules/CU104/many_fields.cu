// Many equally bad accesses: each is a small part of the whole, and the whole is bad.
struct Cell {
    float f[27];
};

__global__ void stream(Cell *out, const Cell *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i].f[1] = in[i].f[0];  // expect: CU104 "store to `out`"; CU104 "load from `in`"
    out[i].f[2] = in[i].f[1];  // also: CU104
    out[i].f[3] = in[i].f[2];  // also: CU104
    out[i].f[4] = in[i].f[3];  // also: CU104
    out[i].f[5] = in[i].f[4];  // also: CU104
    out[i].f[6] = in[i].f[5];  // also: CU104
    out[i].f[7] = in[i].f[6];  // also: CU104
    out[i].f[8] = in[i].f[7];  // also: CU104
    out[i].f[9] = in[i].f[8];  // also: CU104
    out[i].f[10] = in[i].f[9];  // also: CU104
    out[i].f[11] = in[i].f[10];  // also: CU104
}

template <int STRIDE> __global__ void assumed(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * STRIDE];  // undecided: CU101 (assumed template) "template arguments are assumed"
}
