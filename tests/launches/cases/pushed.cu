// Vectors that get one element in each turn of a counted loop.
#include <vector>
__global__ void pushed(float *a, int n) { if (threadIdx.x < n) a[threadIdx.x] += 1.0f; }
int number_pushed(int i);
int main() {
    const int rows = 700;
    std::vector<int> starts(1, 0), places, some, left, twice, shrunk;
    for (int i = 0; i < rows; ++i) {
        starts.push_back(number_pushed(i));
        places.emplace_back(i);
        if (number_pushed(i) > 3) some.push_back(i);
        twice.push_back(i);
        twice.push_back(i);
    }
    for (int i = 0; i < rows; ++i) {
        if (number_pushed(i) > 9) break;
        left.push_back(i);
    }
    int most = 700;
    for (int i = 0; i < most; ++i) {
        shrunk.push_back(i);
        most -= number_pushed(i);
    }
    pushed<<<8, 64>>>(nullptr, starts.size());  // tried: pushed<<<8, 64>>>(n=701)
    pushed<<<8, 64>>>(nullptr, places.size());  // tried: pushed<<<8, 64>>>(n=700)
    pushed<<<9, 64>>>(nullptr, some.size());  // tried: pushed<<<9, 64>>>(n=576) | pushed<<<9, 64>>>(n=1728)
    pushed<<<10, 64>>>(nullptr, left.size());  // tried: pushed<<<10, 64>>>(n=640) | pushed<<<10, 64>>>(n=1920)
    pushed<<<11, 64>>>(nullptr, twice.size());  // tried: pushed<<<11, 64>>>(n=704) | pushed<<<11, 64>>>(n=2112)
    pushed<<<12, 64>>>(nullptr, shrunk.size());  // tried: pushed<<<12, 64>>>(n=768) | pushed<<<12, 64>>>(n=2304)
    for (int i = 0; i < 3; ++i) {
        pushed<<<8, 64>>>(nullptr, places.size() + i);  // tried: pushed<<<8, 64>>>(n=702)
    }
}
