// Objects that a class's own operator or constructor copies have what the first one was made with.
struct Box {
    Box() = default;
    Box(int w, float s);
    Box(Box &&other) : h_(std::move(other.h_)) { other.data_ = nullptr; }
    void operator=(const Box &other);
    void run() const;
    int w_, h_, s_;
    float *data_;
};
__global__ void k(float *a, int w, int h, int s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < w) a[i] = h * s;
}
Box::Box(int w, float s) { w_ = w; h_ = 2 * w; s_ = s; }
void Box::operator=(const Box &other) { w_ = other.w_; s_ = 2 * other.s_; h_ = std::move(other.h_); }
void Box::run() const {
    k<<<(w_ + 63) / 64, 64>>>(data_, w_, h_, s_); // tried: k<<<4, 64>>>(w=256, h=512, s=1280) | k<<<4, 64>>>(w=256, h=512, s=96)
}
int start() {
    Box box(256, 3);
    box.run();
    return 0;
}
