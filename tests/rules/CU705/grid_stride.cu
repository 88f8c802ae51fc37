// A loop over the grid's stride: how often it turns hangs on a size that is invented.
__global__ void taken_apart(float *out, const float *in, int n, int w, int h)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int x = i % w, y = i / w % h, z = i / w / h;  // undecided: CU705 (the rule's own) "waits for memory"
        out[i] = in[(y * 8 + z) * w + x] + 1.0f;
    }
}

__global__ void known(float *out, const float *in, int n, int w, int h)
{
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int x = i % w, y = i / w % h, z = i / w / h;  // expect: CU705
        sum += in[(y * 8 + z) * w + x];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Each turn divides, however many there are: what it costs is a share of any size.
__global__ void axes_exchanged(float *out, int n, int a, int b, int c, int d, int p, int q, int r)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int left = i;
        int x = left % a;
        left = left / a;  // expect: CU705 "with the others of its kind"
        int y = left % b;  // expect: CU705 "with the others of its kind"
        left = left / b;
        int z = left % c;  // expect: CU705 "with the others of its kind"
        left = left / c;
        int t = left % d;  // expect: CU705 "with the others of its kind"
        int u = left / d;
        out[i] = x * p + y * q + z * r + t + u;
    }
}

// The loop inside turns as often as data say, and divides nothing.
__global__ void halved(float *out, const float *in, int n, int w)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int row = i / w;  // undecided: CU705 (invented data decides) "the trip counts of the kernel's loops are not known"
        float left = in[i];
        while (left > 1.0f)
            left *= 0.5f;
        out[i] = left * row;
    }
}

void apart(float *out, const float *in, int w, int h, int depth)
{
    int n = w * h * depth;
    taken_apart<<<64, 256>>>(out, in, n, w, h);
    known<<<108, 256>>>(out, in, 1 << 20, 640, 480);
    axes_exchanged<<<256, 256>>>(out, n, w, h, depth, w + h, w * h, h * depth, depth);
    halved<<<256, 256>>>(out, in, n, w);
}
