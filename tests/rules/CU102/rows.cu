// Elements of rows of two and of four: a vector is a row.
typedef float pair[2];

__global__ void points(pair *to, float radius, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = cosf(i * 0.1f), y = sinf(i * 0.1f);
        to[i][0] = radius * x;  // expect: CU102 "`float2` store"
        to[i][1] = radius * y;
    }
}

__global__ void lengths(float *to, const pair *from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i][0] * from[i][0] + from[i][1] * from[i][1];  // expect: CU102 "`float2` load"
}

int main()
{
    pair *a;
    float *b;
    cudaMalloc(&a, 16384 * sizeof(pair));
    cudaMalloc(&b, 16384 * sizeof(float));
    points<<<64, 256>>>(a, 2.0f, 16384);
    lengths<<<64, 256>>>(b, a);
}
