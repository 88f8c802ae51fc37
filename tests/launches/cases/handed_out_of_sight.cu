// Members that are given to functions of headers that are not there. What has its value before is
// checked or printed by them; what has none is filled, and nothing is known of it.
__global__ void twice(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= 2;
}
__global__ void thrice(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= 3;
}
class Doubler {
    dim3 grid, block;
    int length;
  public:
    Doubler();
    void run(float *a);
};
Doubler::Doubler() {
    this->grid = dim3(64, 1, 1);
    this->block = dim3(128, 1, 1);
    this->length = 0;
    Device::check(grid, block);
    Settings::read("length", length);
}
void Doubler::run(float *a) {
    twice<<<grid, block>>>(a, length); // tried: twice<<<64, 128>>>(n=8192) | twice<<<64, 128>>>(n=24576)
}
class Tripler {
    int threads_ = 0;
    int length_;
  public:
    Tripler(int length) : length_(length) { Settings::read("threads", threads_); }
    void run(float *a);
};
void Tripler::run(float *a) {
    thrice<<<(length_ + threads_ - 1) / threads_, threads_>>>(a, length_); // tried: thrice<<<5, 256>>>(n=1280) | thrice<<<1, 256>>>(n=96)
}
