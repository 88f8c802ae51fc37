// Accesses behind conditions that no common size meets: worlds are added for them alone.
__global__ void large_only(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n > 100000 && i < n)
        a[2 * i] += 1;  // expect: CU101 "8 sectors" note: "for all arguments"
}

__global__ void one_mode(float *a, int mode)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (mode == 77)
        a[3 * i] = 0;  // expect: CU101 "12 sectors"
}

__global__ void interior(float *a, int border)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x;
    if (lane >= border && lane <= 31 - border)
        a[i * 5] = 1;  // expect: CU101 "18 sectors"
}

void launch(float *a, int n, int mode, int border)
{
    large_only<<<(n + 255) / 256, 256>>>(a, n);
    one_mode<<<n / 256, 256>>>(a, mode);
    interior<<<n / 256, 256>>>(a, border);
}
