// Indices that a view passed by value holds, or scales, lie within what they index.
struct View {
    int rows, cols;
    const int *bin;
};

// A node has a histogram of `cols` times 64 bins; where only its root is made, no other one is there.
__global__ void histogram(View view, const float *grad, const int *node, float *hist)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x, f = blockIdx.y;
    if (r >= view.rows)
        return;
    int b = view.bin[f * view.rows + r];
    float *h = hist + ((size_t)node[r] * view.cols + f) * 64 + b;
    atomicAdd(h, grad[r]);  // expect: CU108 "on the 1,024 elements of"
}

int main()
{
    int rows = 1 << 18;
    const int cols = 16;
    float *grad, *hist;
    int *node, *bin;
    cudaMalloc(&bin, rows * cols * sizeof(int));
    cudaMalloc(&grad, rows * sizeof(float));
    cudaMalloc(&node, rows * sizeof(int));
    cudaMalloc(&hist, cols * 64 * sizeof(float));
    View view{rows, cols, bin};
    histogram<<<dim3(rows / 256, cols), 256>>>(view, grad, node, hist);
}
