// A loop that doubles ends soon, however far its bound is; one that takes steps does not.
#include <cuda_runtime.h>
__global__ void scan(int *a, int n, int wide) {
    int i = threadIdx.x;
    if (i < n) a[i] += wide;
}
__global__ void fill(int *a, int n, int wide) {
    int i = threadIdx.x;
    if (i < n) a[i] += wide;
}
int rounded(int n) {
    int power = 1;
    while (power < n) {
        power *= 2;
    }
    return power;
}
int stepped(int n) {
    int at = 1;
    while (at < n) {
        at += n % 2 + 1;
    }
    return at;
}
int main() {
    int *a;
    cudaMalloc(&a, 1 << 20);
    scan<<<1, 64>>>(a, 9000, rounded(9000));  // told: wide=16384
    scan<<<1, 32>>>(a, 300, rounded(300));  // told: wide=512
    fill<<<1, 64>>>(a, 9000000, stepped(9000000));  // open: wide
}
