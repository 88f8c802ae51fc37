// Two launches of one kernel: what is said of the one is not of the other.
__global__ void scale(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = 2.0f * data[i];
}

__global__ void small(float *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = 2.0f * data[i];
}

__global__ void tmv(float *c, const float *a, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int y = 0; y < h; y++)
        sum += a[y * w + x];
    c[x] = sum;
}

void launch(float *out, const float *in)
{
    scale<<<400, 40>>>(out, 16000);
    scale<<<400, 72>>>(out, 28800);
    small<<<65536, 32>>>(out);
    small<<<65536, 16>>>(out);
    tmv<<<4, 256>>>(out, in, 1024, 1024);
    tmv<<<2, 256>>>(out, in, 512, 1024);
}
