// What an array gets back from the device is not what it was declared with; what is sent stays.
__global__ void k(int *a, int lo, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += lo;
}
int main() {
    int *a, *range;
    cudaMalloc(&a, 4096);
    cudaMalloc(&range, 8);
    int found[2] = {7, 1}, sent[2] = {5, 6};
    cudaMemcpy(range, found, sizeof(found), cudaMemcpyHostToDevice);
    for (int turn = 0; turn < 3; turn++) {
        cudaMemcpy(range, sent, sizeof(sent), cudaMemcpyHostToDevice);
        cudaMemcpy(found, range, sizeof(found), cudaMemcpyDeviceToHost);
        k<<<4, 64>>>(a, found[0], 256);  // open: lo
        k<<<8, 32>>>(a, sent[0], 256);  // told: lo=5
    }
}
