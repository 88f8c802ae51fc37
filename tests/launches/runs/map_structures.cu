// A map's structures, each its own.
// run: ./app 640
#include <map>
#include <string>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
struct S { int x = 1; std::string s; };
int main(int argc, char **argv) {
    int n = 640;
    std::map<std::string, S> t; t["a"] = {4, "b"}; t["c"].x = 9; auto it = t.find("a"); it->second.x += 1; int m = 10 * t["a"].x + t["d"].x;
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // tried: k<<<10, 64>>>(n=640, m=51); told: n=640 m=51
}
