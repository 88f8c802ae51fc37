// Lanes of one warp that combine what they have left in shared memory.

// A row to each eight lanes. Nobody outside of the warp may read what they hold: there is no barrier.
__global__ void rows_of_parts(float *out, const float *values, const int *__restrict__ first, int rows)
{
    __shared__ float held[256], best[32];
    int t = threadIdx.x, lane = t % 8, row = (blockIdx.x * blockDim.x + t) / 8;
    if (row >= rows)
        return;
    if (lane == 0)
        best[t / 8] = 0.0f;
    __syncwarp();
    for (int i = lane; i < 640; i += 8) {
        held[t] = values[first[row] + i];
        __syncwarp();
        if (lane < 4) {  // undecided: CU901 (the rule's own) "threads of other warps cannot take a part"
            float a = held[t], b = held[t + 4];
            held[t] = a > b ? a * a + b : b * b + a * a - 0.5f * a * b + 0.25f * b;
        }
        __syncwarp();
        if (lane == 0)  // undecided: CU901 (the rule's own) "with no barrier"
            best[t / 8] = fmaxf(best[t / 8], fmaxf(fmaxf(held[t], held[t + 1]), fmaxf(held[t + 2], held[t + 3])));
        __syncwarp();
    }
    if (lane == 0)
        out[row] = best[t / 8];
}

// Every eighth thread works on what only it loads: consecutive threads could.
__global__ void every_eighth(float *out, const float *values, int rows)
{
    int t = threadIdx.x, row = (blockIdx.x * blockDim.x + t) / 8;
    if (t % 8 == 0 && row < rows) {  // expect: CU901 "branch splits warps"
        float a = values[row], b = values[row + rows], sum = 0.0f;
        for (int i = 0; i < 64; i++)
            sum = a > b ? sum * a + b : sum * b - a;
        out[row] = sum;
    }
}

void run(float *out, const float *values, const int *first, int rows)
{
    rows_of_parts<<<(rows + 31) / 32, 256>>>(out, values, first, rows);
    every_eighth<<<(rows + 31) / 32, 256>>>(out, values, rows);
}
