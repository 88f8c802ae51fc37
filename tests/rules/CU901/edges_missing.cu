// Lanes that are missing before a branch, at the edge of the grid, are no matter of the branch.

// Half of the lanes that come go each way: at the right edge 4 of 8.
__global__ void colours(float *out, const float *in, int w, int h, int colour)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= w || y >= h) return;
    if ((x + y) % 2 == colour) {  // expect: CU901 "4096 warp instructions in its arms where 2048 would do"
        float sum = 0.0f;
        for (int k = 0; k < 40; k++)
            sum += in[k * w * h + y * w + x] * sum;
        out[y * w + x] = sum;
    }
}

void launch(float *out, const float *in)
{
    colours<<<dim3(2, 5, 1), dim3(32, 8)>>>(out, in, 40, 40, 1);
}
