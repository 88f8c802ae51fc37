// A matrix of a thread's own, with rows of a loaded length: no bins that threads might share.
__global__ void innovations(double *out, const double *jacobian, const int *visible)
{
    double s[8 * 8];  // also: CU107
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = min(visible[i], 8);
    for (int k = 0; k < n * n; k++)
        s[k] = 0.0;  // expect: CU107 "`s`" "as short as its use allows"
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++)
            for (int k = 0; k < 8; k++)
                s[r * n + c] += jacobian[(r * 8 + k) * 65536 + i] * jacobian[(c * 8 + k) * 65536 + i];  // undecided: CU302 (invented data decides)
    double trace = 0.0;
    for (int r = 0; r < n; r++)
        trace += s[r * n + r];
    out[i] = trace;
}

// What a corner's number stands for is the same for all threads.
__global__ void corners(float *out, const float *field, const int *edges, int n)
{
    const int dx[8] = {0, 1, 1, 0, 0, 1, 1, 0};  // also: CU107
    const int dy[8] = {0, 0, 1, 1, 0, 0, 1, 1};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float f[8], sum = 0.0f;  // also: CU107
    for (int c = 0; c < 8; c++)
        f[c] = field[i + c * 65536];
    for (int k = 0; k < n; k++) {
        int a = edges[k * 65536 + i] & 7;
        sum += f[a] * dx[a] + dy[a];  // expect: CU107 "contents of `dx` are constants"; CU107 "`f`"
    }
    out[i] = sum;
}

void launch(double *out, const double *jacobian, const int *visible, float *f, const float *g, const int *edges)
{
    innovations<<<256, 256>>>(out, jacobian, visible);
    corners<<<256, 256>>>(f, g, edges, 12);
}
