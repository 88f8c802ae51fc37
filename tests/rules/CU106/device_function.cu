// A running mean: a device function reads the first element of its column in each turn.
__device__ void mean(const float *column, float *out, int w, int r)
{
    float sum = column[0] * r;
    for (int y = 0; y < r; y++)
        sum += column[y * w];
    for (int y = 1; y < r; y++) {
        sum += column[(y + r) * w];
        sum -= column[0];  // expect: CU106
        out[y * w] = sum;
    }
}

__global__ void columns(const float *column, float *out, int w, int r)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    mean(column + x, out + x, w, r);
}

void launch(const float *in, float *out)
{
    columns<<<512, 128>>>(in, out, 65536, 200000);
}
