// Constructors are told apart by what makes their objects; an operator that hands out an element
// lets nothing else be written.
#include <cstdlib>
#include <memory>
struct Shape {
    size_t x, y;
    Shape(size_t x = 1, size_t y = 1) : x(x), y(y) {}
};
struct Matrix {
    bool ready;
    Shape shape;
    std::shared_ptr<float> held;
    Matrix(size_t x = 1, size_t y = 1) : ready(false), shape(x, y) {}
    Matrix(Shape of) : Matrix(of.x, of.y) {}
    void allocate() {
        if (ready) return;
        held = std::shared_ptr<float>(new float[shape.x * shape.y], [&](float *p) { delete[] p; });
        ready = true;
    }
    void fit(Shape of) {
        if (ready) return;
        shape = of;
        allocate();
    }
    float &operator[](int i) { return held.get()[i]; }
    size_t &wide() { return shape.x; }
};
__global__ void k(float *a, int n, int m) {
    int i = threadIdx.x;
    if (i < n) a[i] += m;
}
struct Layer {
    Matrix weights, out, odd;
    Layer(Shape of) : weights(of), odd(of) {
        weights.allocate();
        for (int i = 0; i < 4; i++) weights[i] = rand();
        odd.wide() = rand();
    }
    Matrix &forward(Matrix &in) {
        out.fit(Shape(in.shape.x, weights.shape.y));
        k<<<1, 32>>>(in.held.get(), out.shape.x, out.shape.y);  // told: n=100 m=30
        k<<<2, 32>>>(in.held.get(), weights.shape.x, weights.ready);  // told: n=2 m=1
        k<<<3, 32>>>(in.held.get(), weights.shape.x, odd.shape.x);  // told: n=2; open: m
        return out;
    }
};
int main() {
    Layer layer(Shape(2, 30));
    Matrix in(Shape(100, 2));
    in.allocate();
    layer.forward(in);
}
