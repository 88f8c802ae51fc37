// What a function in a loop of many turns writes through another name of a member is not read: of
// that member, and of no other.
#include <cstdlib>
#include <vector>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
struct Field {
    int n = 100, m = 4;
    std::vector<int> parts;
};
struct Other {
    int n = 300, m = 8;
};
void change(Field *f) {
    int &n = f->n;
    n += 1;
    for (auto &part : f->parts) part += 1;
}
void step(Field *f) {
    float *a;
    cudaMalloc(&a, 4096);
    k<<<64, 64>>>(a, f->n, f->m);  // told: m=4; open: n
}
void keep(Other *o) {
    float *a;
    cudaMalloc(&a, 4096);
    k<<<32, 64>>>(a, o->n, o->m);  // told: n=300 m=8
}
int main(int argc, char **argv) {
    int turns = argc > 1 ? atoi(argv[1]) : 700;
    Field field;
    Other other;
    for (int at = 1; at <= turns; at++) {
        change(&field);
        step(&field);
        keep(&other);
    }
}
