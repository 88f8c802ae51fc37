// Loops of which each turn writes one small element: a turn may write a word of four.

__global__ void fill(char *out, int n, char value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += gridDim.x * blockDim.x) {
        out[i] = value;  // expect: CU103
    }
}

// rows that begin where the pitch says
__global__ void rows(unsigned char *out, unsigned pitch, int w, const float *in)
{
    unsigned char *row = out + blockIdx.x * pitch;
    for (int i = threadIdx.x; i < w; i += blockDim.x)
    {
        float v = in[i];
        row[i] = v > 2.0f ? 1 : 0;  // expect: CU103
    }
}

// a turn that hands something to the next one is left as it is
__global__ void carried(char *out, int n, char value)
{
    char last = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        last = 2 * last + value;
        out[i] = last;  // expect: CU103
    }
}

int main()
{
    char *a;
    unsigned char *b;
    float *f;
    int n = 100003;
    cudaMalloc(&a, n);
    cudaMalloc(&b, 64 * 512);
    cudaMalloc(&f, 2000);
    fill<<<64, 256>>>(a, n, 3);
    rows<<<64, 128>>>(b, 512, 500, f);
    carried<<<64, 256>>>(a, n, 3);
}
