// What a loop's range calls once.
// run: ./app 640
#include <cstdlib>
#include <vector>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
struct S {
    int x = 1;
    std::vector<int> all(std::vector<int> &v) { x *= 2; v.resize(rand()); return v; }
};
int main(int argc, char **argv) {
    int n = 640;
    S s; std::vector<int> v; for (int t : s.all(v)) t += 1; int m = s.x;
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // tried: k<<<10, 64>>>(n=640, m=2); told: n=640 m=2
}
