// One world's results are the same bits, the other's are not.
__global__ void scaled(float *to, const float *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = from[i] * (n > 800 ? 0.5 : 0.1);  // expect: CU701 "make"
}

void launch(float *to, const float *from, int n)
{
    scaled<<<(n + 127) / 128, 128>>>(to, from, n);
}
