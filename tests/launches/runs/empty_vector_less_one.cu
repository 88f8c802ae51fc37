// One less than the length of an empty vector.
// run: ./app 640
#include <cstdlib>
#include <vector>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
int main(int argc, char **argv) {
    std::vector<int> v;
    int n = atoi(argv[1]), m = 1;
    if (v.size() - 1 > 5) m = 2;
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // tried: k<<<10, 64>>>(n=640, m=2); told: n=640 m=2
}
