// What a class's own object starts with is not what a constructor, which reads it, has given it.
#include <cstdlib>
struct Cut {
    float radius = 0.0f, skin = 0.0;
    int most = 200, kept = 7;
};
__global__ void k(float *a, float radius, float skin, int most, int kept) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < most) a[i] += radius * skin + kept;
}
class Potential {
    Cut cut;
    float *a;
public:
    Potential(const char *const *tokens);
    void compute();
};
Potential::Potential(const char *const *tokens) {
    cut.radius = atof(tokens[0]);
    cut.skin = atof(tokens[1]);
    cut.most = atoi(tokens[2]);
    cudaMalloc(&a, 4096);
}
void Potential::compute() {
    k<<<4, 64>>>(a, cut.radius, cut.skin, cut.most, cut.kept);  // told: kept=7; open: radius skin most
}
