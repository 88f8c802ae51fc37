// A tree is built by a function that calls itself twice, with formulas of formulas of its ends: each
// call has its caller's key in its own.
// run: ./app 65536
#include <algorithm>
#include <cstdlib>
#include <vector>
struct Box { float low, high; int left, count; };
__global__ void walk(const Box *boxes, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = boxes[i].low;
}
static void split(std::vector<float> &points, std::vector<Box> &boxes, int at, int low, int high, int axis) {
    Box box{1e30f, -1e30f, 0, 0};
    for (int i = low; i < high; ++i) {
        box.low = std::min(box.low, points[i]);
        box.high = std::max(box.high, points[i]);
    }
    if (high - low <= 2) {
        box.left = low;
        box.count = high - low;
        boxes[at] = box;
        return;
    }
    int middle = (low + high) / 2, left = (int)boxes.size();
    box.left = left;
    boxes[at] = box;
    boxes.resize(boxes.size() + 2);
    split(points, boxes, left, low, middle, (axis + 1) % 3);
    split(points, boxes, left + 1, middle, high, (axis + 1) % 3);
}
template <class T> struct Array {
    T *p = nullptr;
    size_t n;
    explicit Array(size_t n_) : n(n_) { cudaMalloc(&p, n * sizeof(T)); }
    explicit Array(const std::vector<T> &from) : Array(from.size()) {
        cudaMemcpy(p, from.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    }
};
int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 4096;
    std::vector<float> points(n);
    for (auto &p : points) p = rand() / 7.0f;
    std::vector<Box> boxes(1);
    split(points, boxes, 0, 0, (int)points.size(), 0);
    Array<Box> tree(boxes);
    Array<float> out(n);
    walk<<<(n + 255) / 256, 256>>>(tree.p, out.p, n);  // tried: walk<<<256, 256>>>(n=65536); told: n=65536
}
