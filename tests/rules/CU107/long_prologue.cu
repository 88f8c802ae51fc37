// What the run comes to before it is cut short is most of it, and little of all that is to do.
__global__ void binomial(const float *price, float *out, int steps, float up, float p)
{
    float tree[256];  // also: CU107
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k <= steps; k++)
        tree[k] = fmaxf(price[i] * powf(up, 2 * k - steps) - 100.0f, 0.0f);  // expect: CU107  // undecided: CU706 (cut short without a steady loop)
    for (int t = steps; t > 0; t--)
        for (int k = 0; k < t; k++)
            tree[k] = p * tree[k + 1] + (1.0f - p) * tree[k];
    out[i] = tree[0];
}

void launch(const float *price, float *out) { binomial<<<8192, 128>>>(price, out, 200, 1.01f, 0.5f); }
