// A filter that halves an image: each thread's window begins two elements behind its neighbour's.
struct Image {
    float *data;
    size_t step;
    int rows, cols;
    __device__ float *row(int y) const { return (float *)((char *)data + y * step); }
};

__global__ void halve(const Image src, Image dst)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= dst.cols || y >= dst.rows)
        return;
    int right = min(2 * x + 3, src.cols - 1), bottom = min(2 * y + 3, src.rows - 1);
    float sum = 0.0f;
    int count = 0;
    for (int j = max(0, 2 * y - 2); j < bottom; ++j)
        for (int i = max(0, 2 * x - 2); i < right; ++i) {
            float v = src.row(j)[i];  // undecided: CU101 (the rule's own) "overlapping windows" // expect: CU109
            if (!isnan(v)) {
                sum += v;
                count += 1;
            }
        }
    dst.row(y)[x] = sum / count;
}

// Every second element and no others: nobody uses what is left of the sectors.
__global__ void every_second(const float *in, float *out, int n, int step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += in[k * step + 2 * i];  // expect: CU101
    out[i] = sum;
}

void launch(Image src, Image dst, const float *in, float *out, int n, int step)
{
    dim3 block(32, 8), grid((dst.cols + 31) / 32, (dst.rows + 7) / 8);
    halve<<<grid, block>>>(src, dst);
    every_second<<<64, 256>>>(in, out, n, step);
}
