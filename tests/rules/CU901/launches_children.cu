// A launch is each thread's own: warps filled otherwise would launch as often.
__global__ void child(float *row) { row[threadIdx.x] *= 2.0f; }

__global__ void refine(float *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = i;
    if (i % 2) child<<<1, 32>>>(to + 32 * i);  // ok
}

__global__ void beside(float *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i;
    if (i % 2)  // expect: CU901 "full warps"
        for (int k = 0; k < 100; k++) x = x * 0.5f + k;
    to[i] = x;
    if (i == 0) child<<<1, 32>>>(to);  // ok
}

void run(float *to)
{
    refine<<<128, 256>>>(to);
    beside<<<128, 256>>>(to);
}
