// A member that a loop over unknown elements changes is not read, under whatever name it is reached;
// members that the loop only reads are.
#include <cstdlib>
#include <vector>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
struct Part { int left = 5, size = 7; };
struct Field {
    int n = 100, m = 4;
    std::vector<Part> parts;
};
void change(Field *f) {
    for (auto &part : f->parts) part.left -= 1;
    for (const auto &part : f->parts) f->m += part.size > 1;
}
void step(Field *f) {
    float *a;
    cudaMalloc(&a, 4096);
    k<<<64, 64>>>(a, f->n, f->m);  // told: n=100; open: m
    int of_it = f->m;
    k<<<64, 64>>>(a, f->n, of_it);  // told: n=100; open: m
}
int main(int argc, char **argv) {
    int turns = argc > 1 ? atoi(argv[1]) : 700;
    Field field;
    field.parts.resize(3);
    for (int at = 1; at <= turns; at++) {
        change(&field);
        step(&field);
    }
}
