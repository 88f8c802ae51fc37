// One array for each field.
__global__ void turned(double *to, const double *from)
{
    __shared__ double part[4 * 128];
    int i = blockIdx.x * 128 + threadIdx.x, t = threadIdx.x;
    for (int k = 0; k < 4; k++)
        part[k * 128 + t] = from[k * 131072 + i];
    __syncthreads();
    for (int k = 0; k < 4; k++)
        to[k * 131072 + i] = part[k * 128 + 127 - t];
}

void launch(double *to, const double *from) { turned<<<1024, 128>>>(to, from); }
