// Two launches of one kernel: what is said of the one is not of the other.
__global__ void scale(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = 2.0f * data[i];  // refuted: CU101 (nothing wasted); CU105 (nothing wasted)
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
        sum += a[y * w + x];  // refuted: CU109 (nothing wasted)  // also: CU404
    c[x] = sum;  // refuted: CU101 (not reached); CU105 (not reached)
}

void launch(float *out, const float *in)
{
    scale<<<400, 40>>>(out, 16000);  // expect: CU403  // refuted: CU403 (nothing to report)
    scale<<<400, 72>>>(out, 28800);  // expect: CU403
    small<<<65536, 32>>>(out);  // expect: CU405  // refuted: CU405 (nothing to report)
    small<<<65536, 16>>>(out);  // expect: CU405
    tmv<<<4, 256>>>(out, in, 1024, 1024);  // expect: CU404  // refuted: CU404 (nothing to report)
    tmv<<<2, 256>>>(out, in, 512, 1024);
}
