// Elements that a longer vector has.
// run: ./app 640
#include <cstdlib>
#include <vector>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
int main(int argc, char **argv) {
    int n = atoi(argv[1]), m = 0;
    std::vector<int> v(3, 7), w(2, 7);
    v.clear();
    v.resize(3);
    w.clear();
    w.resize(4, 5);
    m = v[1] * 10 + w[3];
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // tried: k<<<10, 64>>>(n=640, m=5); told: n=640 m=5
}
