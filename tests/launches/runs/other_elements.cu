// Other elements than those there were.
// run: ./app 640
#include <cstdlib>
#include <vector>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
int main(int argc, char **argv) {
    int n = atoi(argv[1]), m = 0;
    std::vector<int> v(2, 7);
    v.resize(4);
    m = v[3];
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // told: n=640; open: m
}
