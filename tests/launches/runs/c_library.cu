// C's library passes by value: a size that malloc takes is what it was.
#include <cmath>
#include <cstdlib>
__global__ void k(float *a, int n, int m, int left) {
    extern __shared__ float s[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = i < n ? a[i] : m + left;
    __syncthreads();
    if (i < n) a[i] = s[blockDim.x - 1 - threadIdx.x];
}
void reads(unsigned &count);  // of which nobody knows what it does
void remove(unsigned &count);  // no function of C's
int main() {
    unsigned n = 4096, m = 7, left = 9;
    unsigned bytes = sizeof(float) * 128;
    float *h = (float *)malloc(n * sizeof(float)), *own = (float *)calloc(bytes, 1);
    for (unsigned i = 0; i < n; i++) h[i] = fabsf((float)i);
    own[0] = powf(h[1], bytes);
    reads(m);
    remove(left);
    float *a;
    cudaMalloc(&a, n * sizeof(float));
    k<<<n / 128, 128, bytes>>>(a, n, m, left);  // told: n=4096; open: m left
    free(h);
}
