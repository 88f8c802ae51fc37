// A number that a cast makes is no place that a library's function could write to.
#include <cmath>
#include <cstdlib>
__global__ void k(float *a, int n, float scale) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= scale;
}
struct Model {
    int wide = 256, heads = 4;
    int each() const { return wide / heads; }
};
struct Net {
    Model model;
    float *a;
    explicit Net(const Model &m) : model(m) {}
    void forward() {
        k<<<64, 64>>>(a, model.wide, 1.0f / sqrtf((float)model.each()));  // told: n=384
    }
};
int main(int argc, char **argv) {
    Model model;
    model.wide = 384;
    int turns = argc > 1 ? atoi(argv[1]) : 20000;
    Net net(model);
    for (int at = 0; at < turns; at++) net.forward();
}
