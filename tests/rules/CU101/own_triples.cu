// Corners of one array that a loaded index picks: how they lie is this program's to choose.
__global__ void lengths(const float *corners, const int *picked, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int k = picked[i];
    out[i] = corners[3 * k] * corners[3 * k + 1] + corners[3 * k + 2];  // expect: CU101 "pad the elements to 16 bytes and move them with one access"
}

int main()
{
    float *corners, *out;
    int *picked;
    const int n = 1 << 20;
    cudaMalloc(&corners, 3 * n * sizeof(float));
    cudaMalloc(&picked, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(float));
    for (int turn = 0; turn < 100; turn++)
        lengths<<<n / 256, 256>>>(corners, picked, out, n);
    return 0;
}
