// What an array's values are stored from at the end is no other place of the fault: a loop is.
__global__ void nearest(int *out, const float *points, float x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float best[16];  // also: CU107
    for (int k = 0; k < 16; k++) best[k] = 3e38f;
    for (int j = 0; j < n; j++) {
        float d = fabsf(points[j] - x * i);  // undecided: CU501 (cut short without a steady loop)
        if (d < best[15]) {
            int k = 15;
            for (; k > 0 && best[k - 1] > d; k--)
                best[k] = best[k - 1];
            best[k] = d;  // expect: CU107 "`best`"
        }
    }
    for (int k = 0; k < 16; k++) out[k * 65536 + i] = best[k];
}

void launch(int *out, const float *points)
{
    nearest<<<256, 256>>>(out, points, 0.001f, 65536);
}
