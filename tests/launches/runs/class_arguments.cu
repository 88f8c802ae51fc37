// What a class template's parameter stands for where a variable of the run is its argument.
#include <cstdlib>
__global__ void k(float *a, int dims, int cells) { a[threadIdx.x * dims] = cells; }
template <int D, int Pad = 4> struct Points {
    float *p;
    int n;
    Points(int n) : n(n) { cudaMalloc(&p, n * D * sizeof(float)); }
    void fill() { k<<<1, 32>>>(p, D, n * (D + Pad)); } // told: dims=16 cells=20000
    void fill_again() { k<<<1, 32>>>(p, D, n); } // told: dims=32 cells=50; times: 2
};
template <class T> struct Other {
    float *p;
    void fill(int n) { k<<<1, 32>>>(p, sizeof(T), n); } // told: cells=3
};
int main(int argc, char **argv) {
    const int D = 16;
    const int E = argc > 1 ? 8 : 4;
    Points<D> points(1000);
    points.fill();
    Points<D * 2> twice(50);
    Points<3> thrice(50);
    twice.fill_again();
    thrice.fill_again();
    Other<float> other;
    other.fill(3);
}
