// CU103, figure 1: a flag of one byte for each thread.
__global__ void above(char *flag, const float *from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    flag[i] = from[i] > 0.5f;
}

void launch(char *flag, const float *from) { above<<<4096, 256>>>(flag, from); }
