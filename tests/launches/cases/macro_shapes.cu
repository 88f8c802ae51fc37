// Macros that are grid and block at once, and methods that several classes have.
__global__ void scaled(float *a, int n, float by) { a[threadIdx.x] = n * by; }
#define SHAPE dim3(n / 64, 2), dim3(64, 2)
#define ALL SHAPE, 128
#define BLOCKS (n + 1)
struct Base {
    virtual float scale() const = 0;
    virtual float width() const = 0;
};
struct Plain : Base {
    virtual float scale() const { return 0; }
    virtual float width() const { return 3; }
};
struct Other : Base {
    float scale() const override;
};
struct Single {
    float factor() const { return 2; }
};
void run(float *a, const Base &by, const Single &s) {
    int n = 640;
    scaled<<<SHAPE>>>(a, n, s.factor()); // tried: scaled<<<(10, 2), (64, 2)>>>(n=640, by=2.0)
    scaled<<<ALL>>>(a, n, by.width()); // tried: scaled<<<(10, 2), (64, 2), 128>>>(n=640, by=3.0)
    scaled<<<BLOCKS, 32>>>(a, n, by.scale()); // tried: scaled<<<641, 32>>>(n=640, by=1.5)
}
