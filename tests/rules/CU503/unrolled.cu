// Of a loop that the compiler unrolls, turns are counted as the source has them.
__global__ void walked(float *a, float *out, const int *stop, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    int m = *stop;
    for (int j = 1; j < m; ++j) {
        out[i] = a[j] + a[j - 1];  // expect: CU503 "3 loads of an element where 1 would do"
        s += a[j];
        out[i + n] = s * a[j];
    }
}

__global__ void neighbours(float *a, float *out, const int *stop, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int m = *stop;
    for (int j = 1; j < m; ++j) {
        out[i] = a[j];  // expect: CU503 "2 loads of an element where 1 would do"
        out[i + n] = a[j - 1];
    }
}

void launch(float *a, float *out, const int *stop)
{
    walked<<<4096, 256>>>(a, out, stop, 1 << 20);
    neighbours<<<4096, 256>>>(a, out, stop, 1 << 20);
}
