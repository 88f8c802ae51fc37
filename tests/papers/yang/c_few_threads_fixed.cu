// Thirty-two threads for each column, figure 11.
__global__ void product(float *to, const float *a, const float *b, int width, int height)
{
    __shared__ float part[32][32];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx;
    int first = blockIdx.y * (height / gridDim.y);
    float sum = 0.0f;
    for (int k = ty; k < height / gridDim.y; k += 32)
        sum += a[(first + k) * width + x] * b[first + k];
    part[ty][tx] = sum;
    __syncthreads();
    for (int rows = 16; rows > 0; rows /= 2) {
        if (ty < rows)
            part[ty][tx] += part[ty + rows][tx];
        __syncthreads();
    }
    if (ty == 0)
        atomicAdd(&to[x], part[0][tx]);
}

void launch(float *to, const float *a, const float *b)
{
    product<<<dim3(32, 4), dim3(32, 32)>>>(to, a, b, 1024, 1024);
}
