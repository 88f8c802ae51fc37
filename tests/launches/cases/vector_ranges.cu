// What goes through a vector by a reference writes its elements, and leaves its length.
#include <vector>
__global__ void plain(float *a, int n) { a[threadIdx.x] += n; }
float next();

void filled(float *a) {
    std::vector<float> drawn(4096), others(8);
    for (auto &each : drawn) { each = next(); }
    plain<<<drawn.size() / 64, 64>>>(a, 1);  // tried: plain<<<64, 64>>>(n=1)
    std::vector<std::vector<int>> rows(6);
    for (std::vector<int> &each : rows) { each.push_back(1); }
    plain<<<rows.size(), 32>>>(a, 2);  // tried: plain<<<6, 32>>>(n=2)
}

void longer(int n, float *a) {
    std::vector<float> drawn(64);
    for (auto &each : drawn) {
        each = next();
        drawn.push_back(each);
    }
    plain<<<drawn.size(), 32>>>(a, 3);  // tried: plain<<<1280, 32>>>(n=3) | plain<<<96, 32>>>(n=3)
}
