// Iterators go through a container from either end; one that is moved by what is not known is lost.
#include <cstdlib>
#include <vector>
__global__ void k(int *a, int n, int m) {
    int i = threadIdx.x;
    if (i < n) a[i] += m;
}
struct Layer { int wide; Layer(int wide) : wide(wide) {} };
int main() {
    int *a;
    cudaMalloc(&a, 1 << 20);
    std::vector<Layer *> layers;
    layers.push_back(new Layer(30));
    layers.push_back(new Layer(4));
    layers.push_back(new Layer(2));
    int first = 0, last = 0, sum = 0;
    for (auto it = layers.rbegin(); it != layers.rend(); ++it) last = last * 100 + (*it)->wide;
    for (auto it = layers.begin(); it != layers.end(); it++) first = first * 100 + (*it)->wide;
    for (auto it = layers.begin() + 1; it < layers.end(); it += 1) sum += (*it)->wide;
    auto other = layers.rbegin();
    other += rand() % 3;
    k<<<1, 32>>>(a, last, first);  // told: n=20430 m=300402
    k<<<2, 32>>>(a, sum, layers.size());  // told: n=6 m=3
    k<<<3, 32>>>(a, layers.size(), (*other)->wide);  // told: n=3; open: m
}
