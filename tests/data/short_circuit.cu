// A condition whose short circuits leave it from several places: the branches' immediate
// post-dominator is its end, where lanes meet much later than they could (Diamos et al., MICRO 2011).
__global__ void shade(float *out, const float *a, const float *b, const float *c, const float *d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if ((a[i] > 0.5f || b[i] > 0.5f) && (c[i] > 0.5f || d[i] > 0.5f)) {
        float light = 0.0f;
        for (int turn = 1; turn <= 16; turn++)
            light += a[i] * b[(i + turn) % 4096] + c[i] / turn;
        out[i] = light;
    }
}
