// How few threads, blocks or lanes a launch has is nothing to whom it sets up once for others.

__global__ void init_copy(float *out, const float *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] = in[y * w + x];
}

__global__ void init_inverse(unsigned char *out, const unsigned char *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] = 255 - in[y * w + x]; // undecided: CU101 (hardly launched) // also: CU101
}

__global__ void init_scale(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = 2.0f * data[i];
}

__global__ void init_doubles(float *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = 2.0f * data[i];
}

__global__ void init_series(float *data, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i];
    for (int k = 0; k < turns; k++)
        x = x * 0.999f + 0.5f;
    data[i] = x;
}

__global__ void step(float *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = 0.5f + data[i];
}

// Each step's own: the same launch as one that sets up.
__global__ void scale(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = 2.0f * data[i];
}

int main()
{
    float *a, *b;
    unsigned char *bytes;
    cudaMalloc(&a, 1024 * 1024 * sizeof(float));
    cudaMalloc(&b, 1024 * 1024 * sizeof(float));
    cudaMalloc(&bytes, 1024 * 1024);
    init_copy<<<dim3(64, 64), dim3(16, 16)>>>(a, b, 1024); // undecided: CU401 (hardly launched)
    init_inverse<<<dim3(128, 128), dim3(8, 8)>>>(bytes, bytes, 1024); // undecided: CU402 (hardly launched)
    init_scale<<<400, 40>>>(a, 16000); // undecided: CU403 (hardly launched)
    init_doubles<<<4096, 32>>>(a); // undecided: CU405 (hardly launched)
    init_series<<<900, 256>>>(a, 8000); // undecided: CU406 (hardly launched)
    for (int k = 0; k < 1000; k++) {
        step<<<4096, 256>>>(a);
        scale<<<400, 40>>>(a, 16000); // expect: CU403
    }
}
