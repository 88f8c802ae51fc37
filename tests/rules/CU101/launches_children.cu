// A kernel that launches others: its own accesses are judged; the arguments it hands over are not.
__global__ void child(float *row, int n)
{
    if (threadIdx.x < n) row[threadIdx.x] = 1.0f;
}

__global__ void parent(float *to, const float *from, int n, int pitch)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i * pitch] = from[i];  // expect: CU101 "32 sectors"
    if (i % 2) child<<<1, 32>>>(to + i * pitch, n);  // ok
}

__global__ void each(float *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    child<<<1, 32>>>(to + 32 * i, n);  // ok
}

void run(float *to, const float *from)
{
    parent<<<128, 256>>>(to, from, 30, 32);
    each<<<128, 256>>>(to, 30);
}
