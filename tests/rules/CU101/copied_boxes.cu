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

// What stays in registers has no word of its own there: the copy is still to be written.
__global__ void areas(float *out, const float *boxes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float w = boxes[i * 5 + 2] - boxes[i * 5 + 0], h = boxes[i * 5 + 3] - boxes[i * 5 + 1];  // expect: CU101 "let the block copy its elements through shared memory"
    out[i] = w * h * boxes[i * 5 + 4];  // also: CU101
}

void launch(int *hits, float *out, const float *boxes)
{
    overlaps<<<4096, 64>>>(hits, boxes);
    areas<<<1024, 256>>>(out, boxes);
}
