// A loop that is there to take time: a store in it keeps the compiler from loading the factor once.
__global__ void busy(int *data, int *factor, int times)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int turn = 0; turn < times; turn++)
        data[i] += *factor;  // expect: CU501
}

int main()
{
    int *data, *factor;
    cudaMalloc(&data, 1 << 22);
    cudaMalloc(&factor, sizeof(int));
    busy<<<1024, 256>>>(data, factor, 5);
}
