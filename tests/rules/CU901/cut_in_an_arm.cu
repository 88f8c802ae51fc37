// Runs that end in a loop of one thread: what it does is that much at least, if no other loop follows.

// the greatest elements of a row, one after the other
__global__ void greatest(int *out, const float *in, int columns, int count)
{
    __shared__ float row[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        row[i] = i < columns ? in[blockIdx.x * columns + i] : 0.0f;
    __syncthreads();
    if (threadIdx.x == 0) {  // expect: CU901 "one thread of each block"
        for (int k = 0; k < count; ++k) {  // also: CU901
            int best = 0;
            for (int i = 1; i < 1024; ++i)
                if (row[i] > row[best])  // also: CU901
                    best = i;
            out[blockIdx.x * count + k] = best;
            row[best] = 0.0f;
        }
    }
}

// level by level; what a level waits for is no loop
__global__ void levels(unsigned *tree, int leaves)
{
    for (int left = leaves; left > 1; left /= 2) {
        if (threadIdx.x == 0)  // expect: CU901 "one thread of each block"
            for (int p = 0; p < left / 2; ++p) {  // also: CU901
                unsigned hash = 2166136261u;
                for (int k = 0; k < 64; ++k)
                    hash = (hash ^ (tree[2 * p] >> (k & 31))) * 16777619u ^ (tree[2 * p + 1] + k);  // also: CU901
                tree[p] = hash;
            }
        __syncthreads();
    }
}

// all threads go through longer loops when that one is done
__global__ void then_all(float *out, const float *in, int count)
{
    __shared__ float first;
    if (threadIdx.x == 0) {  // ok: how much follows is not seen
        float sum = 0.0f;
        for (int k = 0; k < count; ++k)
            for (int i = 0; i < 1024; ++i)
                sum = sum * 0.5f + in[(k * 7 + i) % 4096];  // undecided: CU501 (cut short without a steady loop)
        first = sum;
    }
    __syncthreads();
    float sum = first;
    for (int k = 0; k < 64 * count; ++k)
        for (int i = 0; i < 1024; ++i)
            sum = sum * 0.25f + in[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

void launch(int *picked, float *out, const float *in, unsigned *tree)
{
    greatest<<<512, 256>>>(picked, in, 1000, 500);
    levels<<<1, 256>>>(tree, 4096);
    then_all<<<512, 256>>>(out, in, 500);
}
