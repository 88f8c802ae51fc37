// What is set before the loop on the same line is in no loop, and the sum is.
__global__ void product(const float *a, const float *x, float *y, int n)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    y[c] = 0; for (int k = 0; k < n; k++) y[c] += a[k * n + c] * x[k * 8 + (c & 7)];  // expect: CU106 "store to `y`"
}

// Data say how many there are to add up: however many, each is a request more.
__global__ void ragged(const float *a, const int *length, float *y, int n)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int m = length[c];
    for (int k = 0; k < m; k++)
        y[c] += a[k * n + c];  // expect: CU106 "store to `y`"  // undecided: CU101 (loaded address)
}

// Data choose the turns that add something: perhaps there are few.
__global__ void chosen(const float *a, float *y, int n)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        if (a[k * n + c] > 0.5f)
            y[c] += 1.0f;  // undecided: CU106 (invented data decides); CU106 (invented data decides)
}

// A loop that is left in two ways, of which one finds something: perhaps it is rare.
__global__ void found(const float *a, float *y, int n, int m)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++) {
        bool all = true;
        for (int j = 0; j < m; j++)
            if (a[(k * m + j) * 110592 + c] < 0.5f) {
                all = false;
                break;
            }
        if (all)
            y[c] = k;  // undecided: CU106 (invented data decides)
    }
}

void launch(const float *a, const int *length, float *x, float *y)
{
    product<<<432, 256>>>(a, x, y, 1000);
    ragged<<<432, 256>>>(a, length, y, 110592);
    chosen<<<432, 256>>>(a, y, 1000);
    found<<<432, 256>>>(a, y, 1000, 2);
}

// All turns are written out, and each stores: the compiler may not leave one out.
__global__ void written_out(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] = 0;
    for (int i = -4; i <= 4; i++)
        if (y + i >= 0 && y + i < h)
            out[y * w + x] += 0.1f * in[(y + i) * w + x];  // expect: CU106 "store to `out`"
}

// Three stores of different statements are no loop.
__global__ void by_steps(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
    out[i] += in[i + (1 << 20)];
    out[i] += in[i + (2 << 20)];
}

void launch_more(const float *a, float *y)
{
    written_out<<<dim3(64, 128), dim3(32, 8)>>>(a, y, 2048, 1024);
    by_steps<<<4096, 256>>>(a, y);
}
