// Elements that a block copies to shared memory go there as plain words, whatever their size.
__global__ void overlaps(int *hits, const float *boxes)
{
    __shared__ float own[64 * 5];
    int t = threadIdx.x;
    own[t * 5 + 0] = boxes[(blockIdx.x * 64 + t) * 5 + 0];  // expect: CU101 "copies an element of `boxes` to shared memory on its own"
    own[t * 5 + 1] = boxes[(blockIdx.x * 64 + t) * 5 + 1];  // also: CU101
    own[t * 5 + 2] = boxes[(blockIdx.x * 64 + t) * 5 + 2];  // also: CU101
    own[t * 5 + 3] = boxes[(blockIdx.x * 64 + t) * 5 + 3];  // also: CU101
    own[t * 5 + 4] = boxes[(blockIdx.x * 64 + t) * 5 + 4];  // also: CU101
    __syncthreads();
    int count = 0;
    for (int k = 0; k < 64; k++)
        count += own[k * 5] < own[t * 5 + 2] && own[k * 5 + 1] < own[t * 5 + 3] && own[k * 5 + 4] > 0.5f;
    hits[blockIdx.x * 64 + t] = count;
}

// So they do where a table says at which the block begins, and though one part is left out.
__global__ void moments(float *out, const float *bodies, const int *first)
{
    __shared__ float own[128 * 7];
    int t = threadIdx.x, begin = first[blockIdx.x];
    own[t * 7 + 0] = bodies[(begin + t) * 7 + 0];  // expect: CU101 "copies an element of `bodies` to shared memory on its own"
    own[t * 7 + 1] = bodies[(begin + t) * 7 + 1];  // also: CU101
    own[t * 7 + 2] = bodies[(begin + t) * 7 + 2];  // also: CU101
    own[t * 7 + 3] = bodies[(begin + t) * 7 + 3];  // also: CU101
    own[t * 7 + 4] = bodies[(begin + t) * 7 + 4];  // also: CU101
    own[t * 7 + 5] = bodies[(begin + t) * 7 + 5];  // also: CU101
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 6; k++)
        sum += own[(127 - t) * 7 + k];
    out[blockIdx.x * 128 + t] = sum;
}

// Two of twelve are no copy of an element.
__global__ void corners(float *out, const float *bodies, const int *first)
{
    __shared__ float own[128 * 2];
    int t = threadIdx.x, begin = first[blockIdx.x];
    own[t] = bodies[(begin + t) * 12 + 4];  // expect: CU101 "2 neighbouring parts"
    own[t + 128] = bodies[(begin + t) * 12 + 5];  // also: CU101
    __syncthreads();
    out[blockIdx.x * 128 + t] = own[127 - t] + own[255 - t];
}

// What stays in registers has no word of its own there: the copy is still to be written.
__global__ void areas(float *out, const float *boxes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float w = boxes[i * 5 + 2] - boxes[i * 5 + 0], h = boxes[i * 5 + 3] - boxes[i * 5 + 1];  // expect: CU101 "let the block copy its elements through shared memory"
    out[i] = w * h * boxes[i * 5 + 4];  // also: CU101
}

void launch(int *hits, float *out, const float *boxes, const int *first)
{
    overlaps<<<4096, 64>>>(hits, boxes);
    moments<<<4096, 128>>>(out, boxes, first);
    corners<<<4096, 128>>>(out, boxes, first);
    areas<<<1024, 256>>>(out, boxes);
}
