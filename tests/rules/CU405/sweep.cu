// A kernel that is launched with blocks of several sizes to see which is best: no word about the
// small ones.

__global__ void halve(float *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = data[i] * 0.5f;
}

void launch(float *data)
{
    halve<<<16384, 16>>>(data);
    halve<<<8192, 32>>>(data);
    halve<<<1024, 256>>>(data);
}
