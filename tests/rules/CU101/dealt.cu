// Runs of each thread's own: their turns are dealt out to neighbouring threads where nothing else
// hangs on who does them.

__global__ void scaled(float *x, int n, int per)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = t * per; i < (t + 1) * per && i < n; i++)
        x[i] = 2.0f * x[i] + 1.0f;  // expect: CU101 "32 sectors"  // also: CU101
}

__global__ void named(float *y, const float *x, int n)
{
    const int t = threadIdx.x + blockIdx.x * blockDim.x;
    const int first = 16 * t;
    const int last = min(first + 16, n);
    for (int i = first; i < last; ++i)
        y[i] = x[i] * x[i];  // expect: CU101  // expect: CU101
}

// each thread adds up its run: another thread's is another sum
__global__ void added(float *sums, const float *x, int per)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int i = t * per; i < (t + 1) * per; i++)
        sum += x[i];  // expect: CU101
    sums[t] = sum;
}

// each turn needs the one before it
__global__ void carried(float *x, int per)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = t * per; i < (t + 1) * per; i++)
        x[i + 1] = 0.5f * x[i];  // expect: CU101  // also: CU101
}

// the first of a run that is found ends it
__global__ void found(int *at, const float *x, int per)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = t * per; i < (t + 1) * per; i++)
        if (x[i] > 1.0f) {  // expect: CU101
            at[0] = i;
            break;
        }
}

int main()
{
    int n = 1 << 20;
    float *x, *y;
    cudaMalloc(&x, (n + 1) * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    scaled<<<n / 256 / 16, 256>>>(x, n, 16);
    named<<<n / 256 / 16, 256>>>(y, x, n);
    added<<<n / 256 / 16, 256>>>(y, x, 16);
    carried<<<n / 256 / 16, 256>>>(x, 16);
    found<<<n / 256 / 16, 256>>>((int *)y, x, 16);
}
