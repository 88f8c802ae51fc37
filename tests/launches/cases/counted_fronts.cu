// A search starts with one element, and the device counts those of each turn: the first says nothing
// of the others. What is large at the start, or counted on the host, stays.
#include <cstdlib>
__global__ void expand(const int *front, int size, int *next, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) next[i] = front[i] + 1;
}
__global__ void shrink(float *a, int left) { if (threadIdx.x < left) a[threadIdx.x] += 1.0f; }
__global__ void halve(float *a, int left) { if (threadIdx.x < left) a[threadIdx.x] *= 0.5f; }
int main() {
    int *front, *next, *count;
    float *a;
    int size = 1;
    while (size > 0) {
        cudaMemset(count, 0, sizeof(int));
        if (size < 4096)
            expand<<<(size + 127) / 128, 128>>>(front, size, next, count);  // tried: expand<<<10, 128>>>(size=1280) | expand<<<1, 128>>>(size=96)
        cudaMemcpy(&size, count, sizeof(int), cudaMemcpyDeviceToHost);
    }
    int left = 5000;
    while (left > 0) {
        shrink<<<left / 50, 64>>>(a, left); // tried: shrink<<<100, 64>>>(left=5000)
        cudaMemcpy(&left, count, sizeof(int), cudaMemcpyDeviceToHost);
    }
    int turn = 1;
    while (turn < 9) {
        halve<<<4, 64>>>(a, turn); // tried: halve<<<4, 64>>>(left=1)
        turn += rand() % 2;
    }
}
