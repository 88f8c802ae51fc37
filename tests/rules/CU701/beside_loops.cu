// Double constants before a loop, and in it.

// Data say how far each ray goes: what it begins with may be nothing beside that.
__global__ void march(float *out, const float *near_, const float *steps, const float *light)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float t = near_[i] + 1e-6;  // undecided: CU701 (invented data decides) "trip counts"
    float sum = 0.0f;
    int k = i;
    while (t < 1.0f) {
        float step = steps[k & 1023];
        sum += light[k & 1023] * step;
        t += step;
        k++;
    }
    out[i] = sum;
}

// … and in the loop it is as much of the kernel's work however long that is.
__global__ void soften(float *out, const float *steps, const float *light)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float t = 0.0f, sum = 0.0f;
    int k = i;
    while (t < 1.0f) {
        float step = steps[k & 1023] + 1e-3;  // expect: CU701 "`1e-3` makes float arithmetic double"
        sum += light[k & 1023] * step;
        t += step;
        k++;
    }
    out[i] = sum;
}

// The launch says that this loop is short.
__global__ void few(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = in[i] + 0.1;  // expect: CU701 "`0.1` makes float arithmetic double"
    for (int k = 1; k < n; k++)
        sum += in[i + k * 65536];
    out[i] = sum;
}

void run(float *out, const float *a, const float *b, const float *c)
{
    march<<<256, 256>>>(out, a, b, c);
    soften<<<256, 256>>>(out, b, c);
    few<<<256, 256>>>(out, a, 4);
}
