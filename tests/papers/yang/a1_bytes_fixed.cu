// Four elements a thread.
__global__ void copy(uchar4 *to, const uchar4 *from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i];
}

void launch(uchar4 *to, const uchar4 *from) { copy<<<1024, 256>>>(to, from); }
