// Runs whose starts are loaded data: the rows of a sparse matrix.
__global__ void rows(int count, const int *start, const int *column, const float *value, const float *x, float *y) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= count) return;
    float sum = 0;
    for (int j = start[r]; j < start[r + 1]; j++)
        sum += value[j] *  // also: CU101
               x[
                   column[j]  // expect: CU101 "own run of `column`" "lanes of a warp read a run together, and combine what they have"  // also: CU101
               ];
    y[r] = sum;
}

// A warp to a row.
__global__ void together(int count, const int *start, const int *column, const float *value, const float *x, float *y) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= count) return;
    float sum = 0;
    for (int j = start[r] + lane; j < start[r + 1]; j += 32) sum += value[j] * x[column[j]];  // undecided: CU101 (loaded address)
    for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(~0u, sum, o);
    if (lane == 0) y[r] = sum;
}

int main() {
    int rows_ = 20000, *start, *column;
    float *value, *x, *y;
    cudaMalloc(&start, (rows_ + 1) * sizeof(int));
    cudaMalloc(&column, rows_ * 48 * sizeof(int));
    cudaMalloc(&value, rows_ * 48 * sizeof(float));
    cudaMalloc(&x, rows_ * sizeof(float));
    cudaMalloc(&y, rows_ * sizeof(float));
    rows<<<(rows_ + 255) / 256, 256>>>(rows_, start, column, value, x, y);
    together<<<(rows_ * 32 + 255) / 256, 256>>>(rows_, start, column, value, x, y);
}
