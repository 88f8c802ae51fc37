// No text from a fraction on.
// run: ./app 640
#include <cstdlib>
#include <cstring>
#include <string>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
int main(int argc, char **argv) {
    int n = atoi(argv[1]), m = 0;
    m = std::string(argv[1]).substr(n / 320.5).size();
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // told: n=640; open: m
}
