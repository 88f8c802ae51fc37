// Methods, operators and overloads write to what their bodies say, and to nothing else.
#include <cstdio>
#include <vector>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
struct Matrix {
    std::vector<double> held;
    int wide;
    double &operator()(int i, int j) { return held[i * wide + j]; }
    const double &operator()(int i, int j) const { return held[i * wide + j]; }
};
struct Sieve {
    int n = 600, m = 2, count = 0;
    Matrix field;
    double &at(int i, int j) { return field(i, j); }
    void more() { count++; }
};
void show(const Matrix &x) { printf("%d\n", x.wide); }
void show(Sieve &x) { printf("%d\n", x.n); }
void launch(Sieve &s, const int blocks[2]) {
    int sizes[3] = {64, 2, 1};
    dim3 block(sizes[0], sizes[1]);
    float *a;
    cudaMalloc(&a, 4096);
    k<<<blocks[0], block>>>(a, s.n, s.m);  // tried: k<<<7, (64, 2)>>>(n=600, m=2)
}
int main(int argc, char **argv) {
    Sieve s;
    int blocks[2] = {7, 8};
    show(s);
    show(s.field);
    for (int i = 0; i < 400; i++) {
        s.field(i, 0) = s.at(i, 1);
        s.more();
        launch(s, blocks);
    }
}
