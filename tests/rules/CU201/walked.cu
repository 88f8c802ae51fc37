// Transforms in place, by pointers that walk in the array: what is skewed is the array.
__device__ void transform(float *first, int step)
{
    float *second = first + step, *third = second + step, *fourth = third + step;
    float sum = *first + *third, difference = *first - *third;  // expect: CU201 "skew the index of `block`, at each access to it"
    float more = *second + *fourth, less = *second - *fourth;  // also: CU201
    *first = sum + more;  // also: CU201
    *second = difference - 2.0f * less;  // also: CU201
    *third = sum - more;  // also: CU201
    *fourth = difference + 3.0f * less;  // also: CU201
}

// What is stored alone is told by the array's name, too.
__device__ void scale(float *first, int step)
{
    float *second = first + step;
    *first = 1.0f;  // expect: CU201 "skew the index of `line`, at each access to it, those through `first` among them"
    *second = 2.0f;  // also: CU201
}

__global__ void scales(float *out)
{
    __shared__ float line[2048];
    scale(line + 8 * threadIdx.x, 2);
    __syncthreads();
    for (int k = 0; k < 2048; k += 256)
        out[blockIdx.x * 2048 + k + threadIdx.x] = line[k + threadIdx.x];
}

__global__ void transforms(float *out, const float *in)
{
    __shared__ float block[2048];
    int i = blockIdx.x * 2048 + threadIdx.x;
    for (int k = 0; k < 2048; k += 256)
        block[k + threadIdx.x] = in[i + k];
    __syncthreads();
    transform(block + 8 * threadIdx.x, 2);
    __syncthreads();
    for (int k = 0; k < 2048; k += 256)
        out[i + k] = block[k + threadIdx.x];
}

void launch(float *out, const float *in)
{
    transforms<<<1024, 256>>>(out, in);
    scales<<<1024, 256>>>(out);
}
