// A library's kernel that its name calls a test is not what the library is for.
__global__ void test_rows(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i * 64];  // undecided: CU101 (hardly launched) "is a test"
}

// What prepares the work of others is launched once.
__global__ void prepare_weights(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i * 64];  // undecided: CU101 (hardly launched) "sets up"
}

__global__ void rows(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i * 64];  // expect: CU101
}

// A greatest value and the latest one are no tests.
__global__ void latest_rows(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i * 64];  // expect: CU101
}

// What a search tries is no test of the library: what launches it is called otherwise.
__global__ void test_hypotheses(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i * 64];  // expect: CU101
}

void test_some_rows(float *out, const float *in, int n) { test_rows<<<n / 256, 256>>>(out, in, n); }

void work(float *out, const float *in, int n)
{
    prepare_weights<<<n / 256, 256>>>(out, in, n);
    rows<<<n / 256, 256>>>(out, in, n);
    latest_rows<<<n / 256, 256>>>(out, in, n);
    test_hypotheses<<<n / 256, 256>>>(out, in, n);
}
