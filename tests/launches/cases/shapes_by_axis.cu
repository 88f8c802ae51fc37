// A grid and block that methods of an object set axis by axis, and that others return. What a call
// before the launch has set is what they return, whether the object is a member or a local one,
// and however it is named; what the constructor first gives it is not.
class Shape {
    dim3 grid_;
    dim3 block_;
    void reset() { this->grid_.x = 1; this->grid_.y = 1; this->block_.x = 1; this->block_.y = 1; }
    void line(int n) {
        this->reset();
        this->grid_.x = (n + 255) / 256;
        this->block_.x = 256;
    }
    void square(int rows, int columns) {
        reset();
        block_.x = 32;
        block_.y = 8;
        grid_.x = (columns + 31) / 32;
        grid_.y = (rows + 7) / 8;
    }
  public:
    Shape() : grid_(dim3(1, 1, 1)), block_(dim3(1, 1, 1)) {}
    void choose(int rows, int columns) { square(rows, columns); }
    void choose(int n) { this->line(n); }
    const dim3 &grid() const { return this->grid_; }
    const dim3 &block() const { return block_; }
};
__global__ void twice(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= 2;
}
__global__ void turned(float *a, const float *b, int rows, int columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < columns && j < rows) a[i * rows + j] = b[j * columns + i];
}
class Runner {
    Shape shape_;
  public:
    void through_this(float *a, int n);
    void plain(float *a, int n);
    void turn(float *a, const float *b, int rows, int columns);
};
void Runner::through_this(float *a, int n) {
    this->shape_.choose(n);
    twice<<<this->shape_.grid(), this->shape_.block()>>>(a, n); // tried: twice<<<5, 256>>>(n=1280) | twice<<<1, 256>>>(n=96)
}
void Runner::plain(float *a, int n) {
    shape_.choose(n);
    twice<<<shape_.grid(), shape_.block()>>>(a, n);
}
void Runner::turn(float *a, const float *b, int rows, int columns) {
    shape_.choose(rows, columns);
    turned<<<shape_.grid(), shape_.block()>>>(a, b, rows, columns); // tried: turned<<<(36, 160), (32, 8)>>>(rows=1280, columns=1152) | turned<<<(5, 12), (32, 8)>>>(rows=96, columns=160)
}
void local(float *a, int n) {
    Shape shape;
    shape.choose(n);
    twice<<<shape.grid(), shape.block()>>>(a, n);
}
// What is set at once in an object that is a member is not what its constructor gave it.
struct Limits {
    int rows;
    Limits() : rows(-7) {}
};
class Replaced {
    Limits limits_;
  public:
    void set(const Limits &others) { limits_ = others; }
    void run(float *a);
};
void Replaced::run(float *a) {
    twice<<<9, 64>>>(a, limits_.rows); // tried: twice<<<9, 64>>>(n=576) | twice<<<9, 64>>>(n=1728)
}
