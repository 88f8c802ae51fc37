// Data that are made up lead beyond another array: that is no matter of what lanes tell each other.
__global__ void decode(const int *words, float *out)
{
    __shared__ int read[4][32];
    __shared__ float level[64 + 28];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int k = threadIdx.x; k < 64 + 28; k += 128) level[k] = k * 0.25f;
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 4; i++) {
        read[warp][lane] = words[i * 128 + threadIdx.x];
        int at = 0;
        if (lane < 28)
            for (int j = 0; j < 32; j++) {
                int word = read[warp][j];  // expect: CU904
                sum += (word & 3) * level[at + lane];
                at += 2 * (word & 15);
            }
    }
    out[blockIdx.x * 128 + threadIdx.x] = sum;
}

void run(const int *words, float *out, int blocks)
{
    decode<<<blocks, 128>>>(words, out);
}
