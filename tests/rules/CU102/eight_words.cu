// Eight words a thread: each of two vectors touches every sector.
__global__ void eighths(unsigned *out, const unsigned *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (int k = 0; k < 8; k++)
        sum ^= in[8 * i + k] >> k;  // expect: CU102 "256 sectors together where 64 would do" "2 `uint4` loads"
    out[i] = sum;
}

void launch(unsigned *out, const unsigned *in)
{
    eighths<<<256, 256>>>(out, in);
}
