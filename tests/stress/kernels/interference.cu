// Look-ups that evict what other warps use again, where data say so: of a cache of 32 sets and lines of
// 64 bytes all of them meet in one set.

__global__ void decode(const unsigned *code, const float *table, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned word = code[i];
    float sum = 0.0f;
    for (int turn = 0; turn < 4; turn++) {
        sum += table[(threadIdx.x / 32 + 4 * turn) & 15];
        if (((word >> 8 * turn) & 255) == 17)
            sum += table[512 * (1 + ((threadIdx.x / 32 + 2 * turn) & 7))];
    }
    out[i] = sum;
}
