// What is loaded again by numbers that nobody tells.

struct View {
    float *data;
    int sizes[3];
    int strides[3];
};

__device__ float &at(const View &v, int i, int j, int k)
{
    return v.data[i * v.strides[0] + j * v.strides[1] + k * v.strides[2]];
}

// Each thread has a row of its own, which it reads once. Strides that are invented lay rows on each other.
__global__ void sum_rows(const View x, float *out)
{
    int all = blockIdx.x * blockDim.x + threadIdx.x;
    int n = all / x.sizes[1], l = all % x.sizes[1];
    if (n >= x.sizes[0])
        return;
    float sum = 0.0f;
    for (int e = 0; e < x.sizes[2]; e++)
        sum += at(x, n, l, e);  // undecided: CU109 (the rule's own) "fields of a struct"; CU101 (stride of a struct)
    out[all] = sum;
}

// How far a thread walks is a matter of the data.
__global__ void reach(const float *in, float *out, int size, int h, int w, float limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 2 * size)
        return;
    int x = i % w, y = i / w % h, down = i / size;
    int tox = x, toy = y;
    for (;; tox += 1 - down, toy += down) {
        if (tox >= w || toy >= h)
            break;
        if (fabsf(in[toy * w + tox] - in[y * w + x]) >= limit)  // undecided: CU109 (invented data decides) "how often its loop turns"
            break;
    }
    out[i] = down ? toy : tox;
}

// All rows lie one after the other, and every thread walks as far.
__global__ void reach_all(const float *in, float *out, int size, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size)
        return;
    int y = i / w;
    float sum = 0.0f;
    for (int to = 0; to < w; to++)
        sum += in[y * w + to] * to;  // expect: CU109 "each byte of `in`"
    out[i] = sum;
}

void run(View x, int groups, float *a, float *b, int size, int h, int w, float limit)
{
    sum_rows<<<groups, 256>>>(x, a);
    reach<<<(2 * size + 127) / 128, 128>>>(a, b, size, h, w, limit);
    reach_all<<<(size + 127) / 128, 128>>>(a, b, size, w);
}
