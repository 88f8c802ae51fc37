// A search by levels: which vertices a turn is about, data say, which inputs are made for. Rows of
// edges lie one behind the other all the same.
__global__ void search(const int *row, const int *column, int *level, int *again, int n, int current)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && level[v] == current) {
        for (int e = row[v]; e < row[v + 1]; e++) {
            if (level[column[e]] == -1) {  // expect: CU101 "load from `column`" "chosen for it"  // also: CU101
                level[column[e]] = current + 1;  // undecided: CU101 (friendlier values not reached)
                *again = 1;
            }
        }
    }
}

int main()
{
    int n = 1 << 20, going = 1;
    int *row, *column, *level, *again;
    cudaMalloc(&row, (n + 1) * sizeof(int));
    cudaMalloc(&column, 16 * n * sizeof(int));
    cudaMalloc(&level, n * sizeof(int));
    cudaMalloc(&again, sizeof(int));
    for (int current = 0; going; current++) {
        going = 0;
        cudaMemcpy(again, &going, sizeof(int), cudaMemcpyHostToDevice);
        search<<<(n + 255) / 256, 256>>>(row, column, level, again, n, current);
        cudaMemcpy(&going, again, sizeof(int), cudaMemcpyDeviceToHost);
    }
}
