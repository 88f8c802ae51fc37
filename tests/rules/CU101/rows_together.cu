// Each thread walks along a row of its own: the warp can load its lanes' rows together.
__global__ void product(float *y, const float *a, const float *x, int w)
{
    int row_of = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < w; k++)
        sum += a[row_of * w + k] * x[k];  // expect: CU101; also: CU501
    y[row_of] = sum;
}

// A guard leaves lanes out, and the counter is the function's.
__global__ void guarded(float *out, const float *in, int points, int features)
{
    int point = blockIdx.x * blockDim.x + threadIdx.x;
    int k;
    if (point < points) {
        for (k = 0; k < features; k++)
            out[point + points * k] = in[point * features + k];  // expect: CU101
    }
}

// How far it goes is a thread's own, or the counter is asked for behind the loop.
__global__ void own_length(float *y, const float *a, int w)
{
    int row_of = blockIdx.x * blockDim.x + threadIdx.x;
    int length = w - threadIdx.x % 2;
    float sum = 0.0f;
    for (int k = 0; k < length; k++)
        sum += a[row_of * w + k];  // expect: CU101
    y[row_of] = sum;
}

__global__ void counted(float *y, const float *a, int w)
{
    int row_of = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    int k;
    for (k = 0; k < w; k++)
        sum += a[row_of * w + k];  // expect: CU101
    y[row_of] = sum * k;
}

void launch(float *y, const float *a, const float *x, float *out, const float *in)
{
    product<<<256, 256>>>(y, a, x, 330);
    guarded<<<79, 128>>>(out, in, 10008, 35);
    own_length<<<256, 256>>>(y, a, 330);
    counted<<<256, 256>>>(y, a, 330);
}
