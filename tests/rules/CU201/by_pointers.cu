// One array, whose elements a function is given by one pointer and reaches by others.
__device__ void sums(float *first, int step)
{
    float *second = first + step, *third = second + step, *fourth = third + step;
    float a = *first + *fourth, b = *second + *third, c = *first - *fourth, d = *second - *third;  // also: CU201
    *first = a + b;  // expect: CU201 "8 wavefronts per request where 4"
    *second = c + 0.5f * d;  // also: CU201
    *third = a - b;  // also: CU201
    *fourth = 0.5f * c - d;  // also: CU201
}

__global__ void transform(float *out, const float *in)
{
    __shared__ float tile[2048];
    int at = threadIdx.y * 256 + threadIdx.x;
    for (int i = 0; i < 8; i++)
        tile[at + 32 * i] = in[blockIdx.x * 2048 + at + 32 * i];
    __syncwarp();
    sums(tile + threadIdx.y * 256 + 8 * threadIdx.x, 1);
    __syncwarp();
    for (int i = 0; i < 8; i++)
        out[blockIdx.x * 2048 + at + 32 * i] = tile[at + 32 * i];
}

// Two arrays are two faults.
__global__ void two(float *__restrict__ out, const float *__restrict__ in, int n)
{
    __shared__ float even[512], odd[1024];
    float *first = even + 2 * threadIdx.x, *second = odd + 4 * threadIdx.x;
    float sum = 0;
    for (int i = 0; i < n; i++) {
        *first = in[blockIdx.x * 256 + threadIdx.x] + i;  // expect: CU201 "2-way"
        *second = sum;  // expect: CU201 "4-way"
        __syncthreads();
        sum += even[2 * (threadIdx.x ^ 32)] + odd[4 * (threadIdx.x ^ 64)];  // also: CU201
        __syncthreads();
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

void launch(float *out, const float *in, int n)
{
    transform<<<1024, dim3(32, 8)>>>(out, in);
    two<<<1024, 256>>>(out, in, n);
}
