// Loops of which each turn writes one small element: a turn may write a word of four.

__global__ void laid(char *out, int n, char value)
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

// bytes that are counted: a turn may read a word of them
__global__ void counted(const unsigned char *in, int n, unsigned *total)
{
    __shared__ unsigned bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (i < n) {
        atomicAdd(&bins[in[i]], 1);  // expect: CU103  // undecided: CU108 (invented data decides)
        i += gridDim.x * blockDim.x;
    }
    __syncthreads();
    atomicAdd(&total[threadIdx.x], bins[threadIdx.x]);
}

// not every turn gets as far as the element
__global__ void until(const unsigned char *in, int n, int half, unsigned *total)
{
    unsigned sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += i < half ? in[i] : 1;  // expect: CU103
    atomicAdd(total, sum);  // undecided: CU108 (the rule's own)
}

// its elements are as large as an instance has them
template <class T> __global__ void added(const T *in, int n, unsigned *total)
{
    unsigned sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];  // expect: CU103
    atomicAdd(total, sum);  // undecided: CU108 (the rule's own)
}

int main()
{
    char *a;
    unsigned char *b;
    float *f;
    unsigned *u;
    int n = 100003;
    cudaMalloc(&a, n);
    cudaMalloc(&b, 64 * 512);
    cudaMalloc(&f, 2000);
    cudaMalloc(&u, 1024);
    laid<<<64, 256>>>(a, n, 3);
    rows<<<64, 128>>>(b, 512, 500, f);
    carried<<<64, 256>>>(a, n, 3);
    counted<<<64, 256>>>(b, 2816, u);  // most threads have no turn to take
    until<<<64, 256>>>(b, 30011, 29000, u);
    added<<<64, 256>>>(b, 30011, u);
}
