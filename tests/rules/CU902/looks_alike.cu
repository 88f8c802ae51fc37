// Barriers that are needed, or of which nobody can tell.
__global__ void tree(float *out, const float *in)
{
    __shared__ float sums[256];
    sums[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (threadIdx.x < s)
            sums[threadIdx.x] += sums[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = sums[0];
}

// the second one protects the tile of the next turn
__global__ void tiles(float *out, const float *in, int n)
{
    __shared__ float tile[256];
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
        tile[threadIdx.x] = in[k * 16384 + blockIdx.x * 256 + threadIdx.x];
        __syncthreads();
        sum += tile[255 - threadIdx.x];
        __syncthreads();
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// the same, and there is only one turn to be seen
__global__ void one_turn(float *out, const float *in, int n)
{
    __shared__ float tile[256];
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
        tile[threadIdx.x] = in[k * 16384 + blockIdx.x * 256 + threadIdx.x];
        __syncthreads();
        sum += tile[255 - threadIdx.x];
        __syncthreads();
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// through global memory
__global__ void neighbours(float *data)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    data[i] *= 2.0f;
    __syncthreads();
    if (threadIdx.x > 0)
        data[i + 16384] = data[i - 1];
}

// who meets whom depends on the data
__global__ void scattered(float *out, const int *where)
{
    __shared__ float tile[256];
    tile[threadIdx.x ^ (where[blockIdx.x] & 1)] = 1.0f;
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = tile[threadIdx.x];
}

// a flag for other blocks must not be seen before what it is about
__device__ unsigned int ready;
__global__ void publishes(float *out, const float *in)
{
    out[blockIdx.x * 256 + threadIdx.x] = in[threadIdx.x];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(&ready, 1);
}

// one launch has a single warp in a block, the other has more
__global__ void two_launches(float *out, const float *in)
{
    __shared__ float tile[1024];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[blockDim.x == 1 ? 0 : blockDim.x - 1 - threadIdx.x];
}

// an instance with one element a thread does without, that with more does not
template <int SHIFT> __global__ void instances(float *out, const float *in)
{
    __shared__ float tile[256 + SHIFT];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x ^ SHIFT];  // undecided: CU602 (the rule's own) "another instance"
}

// a function leaves the tile ready for whoever calls it
__device__ void fill(float *tile, const float *in)
{
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
}
__global__ void uses_its_own(float *out, const float *in)
{
    __shared__ float tile[256];
    fill(tile, in);
    out[threadIdx.x] = tile[threadIdx.x] + 1.0f;  // expect: CU602
}

// no launch is in sight: other blocks might need it
__global__ void nobody_launches(float *out, const float *in)
{
    out[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
}

void launch(float *out, const float *in, const int *where)
{
    tree<<<64, 256>>>(out, in);
    tiles<<<64, 256>>>(out, in, 10);
    one_turn<<<64, 256>>>(out, in, 1);
    neighbours<<<64, 256>>>(out);
    scattered<<<64, 256>>>(out, where);
    two_launches<<<1, 1>>>(out, in);
    two_launches<<<1, 256>>>(out, in);
    instances<0><<<1, 256>>>(out, in);
    instances<64><<<1, 256>>>(out, in);
    uses_its_own<<<1, 256>>>(out, in);
    publishes<<<64, 256>>>(out, in);
}
