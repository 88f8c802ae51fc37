// Where the numbers of a block are given is another place of what is wrong with its launch.
__global__ void scale(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= 2.0f;
}

__global__ void add(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] += 2.0f;
}

__global__ void whole(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] -= 2.0f;
}

void launch(float *data)
{
    const int few = 40;  // also: CU403
    const int enough = 128;
    int blocks = 400;
    dim3 block(72);  // also: CU403
    scale<<<blocks, few>>>(data, 16000);  // expect: CU403 "24 of 64 lanes"
    add<<<blocks, block>>>(data, 28800);  // expect: CU403 "25%"
    whole<<<blocks, enough>>>(data, 51200);
}
