// The length of a vector: as it is made, or by the one call that sets it on every way.
#include <vector>
__global__ void plain(float *a, int n) { a[threadIdx.x] += n; }
void grow(std::vector<float> &v);

void passed(const std::vector<float> &v, float *a) {
    plain<<<v.size() / 64, 64>>>(a, v.size());  // tried: plain<<<64, 64>>>(n=4096)
}

int main() {
    float *a;
    cudaMalloc(&a, 4096 * 4);
    std::vector<float> made(4096);
    passed(made, a);
    std::vector<int> listed{1, 2, 3};
    plain<<<listed.size(), 64>>>(a, 1);  // tried: plain<<<3, 64>>>(n=1)
    int n = 2048;
    thrust::device_vector<float> filled(n * 2, 1);
    plain<<<filled.size() / 32, 32>>>(a, 2);  // tried: plain<<<128, 32>>>(n=2)
    std::vector<int> set;
    set.resize(512);
    plain<<<set.size() / 32, 32>>>(a, 3);  // tried: plain<<<16, 32>>>(n=3)
}

void unknown(int n, float *a) {
    std::vector<float> grown(64);
    grow(grown);
    plain<<<grown.size(), 32>>>(a, 4);  // tried: plain<<<1280, 32>>>(n=4) | plain<<<96, 32>>>(n=4)
    std::vector<float> longer(64);
    for (int i = 0; i < n; i++) { longer.push_back(i); }
    plain<<<longer.size(), 32>>>(a, 5);  // tried: plain<<<1344, 32>>>(n=5) | plain<<<160, 32>>>(n=5)
    std::vector<float> perhaps(64);
    if (n) { perhaps.resize(128); }
    plain<<<perhaps.size(), 32>>>(a, 6);  // tried: plain<<<1280, 32>>>(n=6) | plain<<<96, 32>>>(n=6)
    std::vector<float> copied(made.begin(), made.end());
    plain<<<copied.size(), 32>>>(a, 7);  // tried: plain<<<1280, 32>>>(n=7) | plain<<<96, 32>>>(n=7)
}
