// Lanes that walk along a row of a sparse matrix side by side: who gives a row two lanes has rows of
// about two elements, unless the program itself says how long they are.
#include <vector>

template <int K>
__global__ void rows(int n, const int *offset, const int *column, const float *value, const float *x,
                     float *y) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / K, lane = threadIdx.x & (K - 1);
    if (row >= n) return;
    float sum = 0;
    for (int j = offset[row] + lane; j < offset[row + 1]; j += K)
        sum += value[j] * x[column[j]];  // undecided: CU101 (loaded address) "load from `x`"
    for (int d = K / 2; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0) y[row] = sum;
}

void by_length(int n, int mean, const int *offset, const int *column, const float *value,
               const float *x, float *y) {
    if (mean <= 2)
        rows<2><<<(2 * n + 255) / 256, 256>>>(n, offset, column, value, x, y);
    else if (mean <= 4)
        rows<4><<<(4 * n + 255) / 256, 256>>>(n, offset, column, value, x, y);
    else
        rows<16><<<(16 * n + 255) / 256, 256>>>(n, offset, column, value, x, y);
}

__global__ void of_one_thread(int n, const int *offset, const float *value, float *y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    float sum = 0;
    for (int j = offset[row]; j < offset[row + 1]; j += 1)
        sum += value[j];  // expect: CU101 "load from `value`"
    y[row] = sum;
}

__global__ void of_two(int n, const int *offset, const float *value, float *y) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 2, lane = threadIdx.x & 1;
    if (row >= n) return;
    float sum = 0;
    for (int j = offset[row] + lane; j < offset[row + 1]; j += 2)
        sum += value[j];  // expect: CU101 "load from `value`"
    sum += __shfl_xor_sync(0xffffffff, sum, 1);
    if (lane == 0) y[row] = sum;
}

int main() {
    const int n = 4096, length = 64;
    std::vector<int> host(n + 1);
    for (int i = 0; i <= n; i++) host[i] = i * length;
    int *offset;
    float *value, *y;
    cudaMalloc(&offset, (n + 1) * sizeof(int));
    cudaMalloc(&value, n * length * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMemcpy(offset, host.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice);
    of_one_thread<<<n / 256, 256>>>(n, offset, value, y);
    of_two<<<2 * n / 256, 256>>>(n, offset, value, y);
}
