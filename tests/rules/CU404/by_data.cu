// Data decide of inner loops alone how often they turn: the outer one is long whatever they are.
__global__ void best_of_rows(float *best, const float *score, int items, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float kept = 0.0f;
    for (int item = 0; item < items; item++) {
        float s = score[item * rows + row];  // also: CU404
        while (s > kept + 1.0f)
            s = 0.75f * s - 1.0f;
        kept += s;
    }
    best[row] = kept;
}

// Data end the loop itself: it may be short.
__global__ void first_in_rows(int *first, const float *score, int items, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    int at = 0;
    while (at < items && score[at * rows + row] < 0.5f)
        at++;
    first[row] = at;
}

void launch(float *best, int *first, const float *score)
{
    best_of_rows<<<1, 64>>>(best, score, 50000, 64);  // expect: CU404
    first_in_rows<<<1, 64>>>(first, score, 50000, 64);
}
