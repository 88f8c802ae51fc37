// A function that a vector is given to by a reference may change how many elements it has, or
// write the elements alone.
#include <vector>
__global__ void plain(float *a, int n) { a[threadIdx.x] += n; }
__global__ void other(float *a, int n) { a[threadIdx.x] -= n; }
float next();

static void fill(std::vector<float> &v, unsigned seed) { for (auto &each : v) each = next() + seed; }
template <typename T> void fill_two(std::vector<T> &v) { v[0] = T(1), fill(v, 3); }
static void grow(std::vector<float> &v) { v.push_back(1); }
static void grow_later(std::vector<float> &v) { v[0] = 2; grow(v); }
static void replace(std::vector<float> &v) { v = std::vector<float>(3); }
static void alias(std::vector<float> &v) { auto &other = v; other.clear(); }
static std::vector<float> &same(std::vector<float> &v) { return v; }

void keeps(float *a) {
    std::vector<float> one(4096), two(2048), three(1024), four(512), five(256);
    fill(one, 7);
    fill_two(two);
    auto init = [](std::vector<float> &v) { for (auto &each : v) each = next(); };
    init(three);
    for (auto *v : {&four, &five}) for (auto &each : *v) each = next();
    plain<<<one.size() / 64, 64>>>(a, 1);  // tried: plain<<<64, 64>>>(n=1)
    plain<<<two.size() / 64, 64>>>(a, 2);  // tried: plain<<<32, 64>>>(n=2)
    plain<<<three.size() / 64, 64>>>(a, 3);  // tried: plain<<<16, 64>>>(n=3)
    plain<<<four.size() / 64, 64>>>(a, 4);  // tried: plain<<<8, 64>>>(n=4)
    plain<<<five.size() / 64, 64>>>(a, 5);  // tried: plain<<<4, 64>>>(n=5)
}

void changes(float *a) {
    std::vector<float> one(64), two(64), three(64), four(64), five(64), six(64);
    grow_later(one);
    other<<<one.size(), 32>>>(a, 11);  // tried: other<<<1280, 32>>>(n=11) | other<<<96, 32>>>(n=11)
    replace(two);
    other<<<two.size(), 32>>>(a, 12);  // tried: other<<<1280, 32>>>(n=12) | other<<<96, 32>>>(n=12)
    alias(three);
    other<<<three.size(), 32>>>(a, 13);  // tried: other<<<1280, 32>>>(n=13) | other<<<96, 32>>>(n=13)
    same(four).clear();
    other<<<four.size(), 32>>>(a, 14);  // tried: other<<<1280, 32>>>(n=14) | other<<<96, 32>>>(n=14)
    auto init = [](std::vector<float> &v) { v.resize(3); };
    init(five);
    other<<<five.size(), 32>>>(a, 15);  // tried: other<<<1280, 32>>>(n=15) | other<<<96, 32>>>(n=15)
    for (auto *v : {&six}) v->resize(3);
    other<<<six.size(), 32>>>(a, 16);  // tried: other<<<1280, 32>>>(n=16) | other<<<96, 32>>>(n=16)
}
