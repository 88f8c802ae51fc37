// Windows that move over an image: by 1 as often as not, and no farther than a few elements.
struct Layer {
    int batch, height, width, channels, stride, kernel, pad;
    float *input, *output;
};

__global__ void pool(float *out, const float *in, int n, int height, int width, int stride, int kernel, int pad)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int wide = (width + pad - kernel) / stride + 1, x = i % wide * stride - pad / 2, y = i / wide;  // undecided: CU705 (the rule's own)
    float most = -1e30f;
    for (int k = 0; k < kernel; k++)
        most = fmaxf(most, in[y * (width + pad) + x + k]);  // expect: CU109  // undecided: CU101 (fine with other values)
    out[i] = most;
}

// The same word for the length of a row.
__global__ void copy(float *out, const float *in, int n, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        out[k * 4096 + i] = in[i * stride + k];  // expect: CU101 "8 or more sectors per request where 4 would do: 32 with stride=1408 assumed"  // also: CU404
}

void run(Layer l)
{
    pool<<<(l.width * l.height + 255) / 256, 256>>>(l.output, l.input, l.width * l.height, l.height, l.width, l.stride, l.kernel, l.pad);
}

void copy_rows(float *out, const float *in, int n, int stride)
{
    copy<<<16, 256>>>(out, in, n, stride);  // undecided: CU404 (invented data decides)
}
