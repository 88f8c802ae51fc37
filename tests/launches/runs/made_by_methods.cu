// A constructor may leave members to methods that it calls: what these write is what they are. It is
// not where the call, or what stands before the write, hangs on something.
#include <cstdlib>
__global__ void k(float *a, int n, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i * step] += 1;
}
__global__ void plain_k(float *a, int n, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i * step] += 1;
}
__global__ void early_k(float *a, int n, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i * step] += 1;
}
__global__ void kept_k(float *a, int n, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i * step] += 1;
}
class Image {
public:
    Image() : data(nullptr), rows(0), step(0) {}
    Image(int rows_, int cols_, int step_ = -1) : Image() { create(rows_, cols_, step_); }
    void create(int rows_, int cols_, int step_) {
        release();
        if (step_ < 0) step_ = cols_;
        rows = rows_;
        step = step_;
    }
    void release() {
        data = nullptr;
        rows = step = 0;
    }
    float *data;
    int rows, step;
};
class Plain {
public:
    Plain(int rows_) { create(rows_); }
    void create(int rows_) {
        rows = rows_;
        step = rows + 2;
    }
    int rows, step;
};
class Early {
public:
    Early(int rows_) : rows(rows_), step(1) { create(rows_ * 4); }
    void create(int step_) {
        if (getenv("PLAIN")) return;
        step = step_;
    }
    int rows, step;
};
class Kept {
public:
    Kept(int rows_) : rows(rows_), step(3) { note(); }
    void note() { calls = 1; }
    int rows, step, calls;
};
void image_run(Image &image, float *a) {
    k<<<4, 64>>>(a, image.rows, image.step);  // told: n=240 step=631
}
void plain_run(Plain &image, float *a) {
    plain_k<<<4, 64>>>(a, image.rows, image.step);  // told: n=240 step=242
}
void early_run(Early &image, float *a) {
    early_k<<<4, 64>>>(a, image.rows, image.step);  // told: n=240; open: step
}
void kept_run(Kept &image, float *a) {
    kept_k<<<4, 64>>>(a, image.rows, image.step);  // told: n=240 step=3
}
static void test(float *a) {
    const int w = 631, h = 240;
    Image image(h, w);
    Plain plain(h);
    Early early(h);
    Kept kept(h);
    image_run(image, a);
    plain_run(plain, a);
    early_run(early, a);
    kept_run(kept, a);
}
