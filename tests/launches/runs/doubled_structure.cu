// A structure that doubles with each turn.
// run: ./app 640
#include <cstdlib>
#include <vector>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
struct Tree { std::vector<Tree> below; };
int main(int argc, char **argv) {
    Tree t;
    for (int i = 0; i < 40; ++i) t.below.push_back(t);
    int n = atoi(argv[1]), m = 1;
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // tried: k<<<10, 64>>>(n=640, m=1); told: n=640 m=1
}
