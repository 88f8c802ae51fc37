// CU102, figure 3a: each thread loads neighbours one by one.
__global__ void sums(float *to, const float *from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float first = from[4 * i + 0];
    float second = from[4 * i + 1];
    float third = from[4 * i + 2];
    float fourth = from[4 * i + 3];
    to[i] = (first + second) * (third - fourth);
}

void launch()
{
    float *to, *from;
    cudaMalloc(&to, 1024 * 256 * sizeof(float));
    cudaMalloc(&from, 4 * 1024 * 256 * sizeof(float));
    sums<<<1024, 256>>>(to, from);
}
