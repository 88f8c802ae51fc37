// The distance of rows that an allocator tells a member: of each object its own.
__global__ void scale(float *p, int pitch, int width) { p[blockIdx.x * pitch + threadIdx.x] *= width; }
struct Rows {
    float *p;
    size_t pitch, apart;
    int width;
    Rows(int width, int height) : width(width) {
        cudaMallocPitch((void **)&p, &pitch, width * sizeof(float), height);
        apart = pitch / sizeof(float);
    }
};
class Picture {
    float *p_;
    size_t pitch_;
    int width_;
  public:
    void make(int width, int height) {
        width_ = width;
        cudaMallocPitch(&p_, &this->pitch_, width_ * sizeof(float), height);
    }
    void run() { scale<<<2, 32>>>(p_, pitch_, width_); } // tried: scale<<<2, 32>>>(pitch=1536, width=333)
};
class Twice { // whose distance is told again behind the launch
    float *p_;
    size_t pitch_;
    int width_;
  public:
    void make(int width) { width_ = width; cudaMallocPitch(&p_, &pitch_, width * sizeof(float), 8); }
    void again() { pitch_ = 2048; }
    void run() { scale<<<3, 32>>>(p_, pitch_, width_); } // tried: scale<<<3, 32>>>(pitch=512, width=100)
};
int main() {
    Rows wide(300, 20), narrow(5, 20);
    scale<<<1, 64>>>(wide.p, wide.apart, wide.width); // tried: scale<<<1, 64>>>(pitch=384, width=300)
    scale<<<1, 96>>>(narrow.p, narrow.apart, narrow.width); // tried: scale<<<1, 96>>>(pitch=128, width=5)
    Picture picture;
    picture.make(333, 20);
    picture.run();
    Twice twice;
    twice.make(100);
    twice.run();
    twice.again();
}
