// A loop over the grid's stride: how often it turns hangs on a size that is invented.
__global__ void taken_apart(float *out, const float *in, int n, int w, int h)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int x = i % w, y = i / w % h, z = i / w / h;  // undecided: CU705 (invented data decides) "each thread does it once"
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

void apart(float *out, const float *in, int w, int h, int depth)
{
    int n = w * h * depth;
    taken_apart<<<64, 256>>>(out, in, n, w, h);
    known<<<108, 256>>>(out, in, 1 << 20, 640, 480);
}
