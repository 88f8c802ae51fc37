// A pixel's work begins behind a border: words do not begin where warps do.
__global__ void inner(unsigned char *out, const unsigned char *in, int pitch)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int at = (blockIdx.y + 1) * 1024 + x;
    out[at] = 255 - in[at];  // expect: CU103 "here warps begin within one" // also: CU103
}

void launch(unsigned char *out, const unsigned char *in)
{
    inner<<<dim3(3, 1000), 256>>>(out, in, 1024);
}
