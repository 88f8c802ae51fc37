// One place launches a kernel for a test's few numbers and for the program's many. What each thread
// does once is the more of its work the shorter its loop is: the heavier launch tells.

__global__ void cosines(float *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum = 0.5f * sum + (t ^ k);
    out[t] = sum / sqrtf((float)n * t); // undecided: CU707 (fine with other values) "a small part of the kernel's work in most launches"
}

// The heavier launch has the shorter loop.
__global__ void lengths(float *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum = 0.5f * sum + (t ^ k);
    out[t] = sum / sqrtf((float)n * t); // expect: CU707
}

void all_cosines(float *out, int n, int rows)
{
    cosines<<<rows / 64, 64>>>(out, n);
}

void all_lengths(float *out, int n, int rows)
{
    lengths<<<rows / 64, 64>>>(out, n);
}

int main()
{
    float *out;
    cudaMalloc(&out, 65536 * sizeof(float));
    all_cosines(out, 4, 1024);
    all_cosines(out, 1024, 65536);
    all_lengths(out, 1024, 1024);
    all_lengths(out, 4, 65536);
}
