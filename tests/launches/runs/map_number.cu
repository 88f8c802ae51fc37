// A map's number, written through what was found.
// run: ./app 640
#include <map>
#include <string>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
int main(int argc, char **argv) {
    int n = 640;
    std::map<std::string, int> t; t["a"] = 1; auto it = t.find("a"); it->second = 7; int m = t["a"];
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // tried: k<<<10, 64>>>(n=640, m=7); told: n=640 m=7
}
