// Kernels that are given nothing to write to: they are there to take time.

__global__ void delay(int *null)
{
    float j = threadIdx.x;
    for (int i = 1; i < 10000; i++)
        j = (j + 1) / j;
    if (threadIdx.x == j)
        null[0] = j;
}

__global__ void settle(int *out)
{
    float j = threadIdx.x;
    for (int i = 1; i < 10000; i++)
        j = (j + 1) / j;
    if (threadIdx.x == j)
        out[0] = j;
}

// One of its launches has somewhere to write.
__global__ void either(int *out)
{
    float j = threadIdx.x;
    for (int i = 1; i < 10000; i++)
        j = (j + 2) / j;
    if (threadIdx.x == j)
        out[0] = j;
}

int main()
{
    int *out;
    cudaMalloc(&out, 4);
    delay<<<1, 1>>>(NULL); // undecided: CU404 (hardly launched) "null pointers"
    settle<<<1, 1>>>(out); // expect: CU404
    either<<<1, 1>>>((int *)0); // expect: CU404
    either<<<1, 1>>>(out);
}
