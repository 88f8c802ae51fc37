// Elements are of their array's type.
// run: ./app 640
#include <cstdlib>
#include <vector>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
int main(int argc, char **argv) {
    int n = atoi(argv[1]), m = 0;
    int q[2];
    std::vector<int> v(2);
    double from[] = {1.5, 2.5};
    q[0] = v[1] = 7 * 0.3;
    for (int each : from) m += each;
    m += (q[0] + v[1]) * 10;
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // tried: k<<<10, 64>>>(n=640, m=43); told: n=640 m=43
}
