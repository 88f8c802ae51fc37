// What methods return: of a singleton and of a member what the program sets in its one place, also
// where constructors first say that nothing is set; of a local object its own.
class Tuning {
    int threads_;
    dim3 tile_;
    static constexpr int kNone = -1;
  public:
    Tuning() : threads_(kNone), tile_(kNone) {}
    void choose();
    int getThreads() const { return threads_; }
    dim3 getTile() const { return tile_; }
};
class Settings {
    Tuning tuning_;
  public:
    static Settings &instance();
    const Tuning &getTuning() const { return tuning_; }
};
void Tuning::choose() {
    threads_ = 192;
    tile_ = dim3(32, 4, 1);
}
Settings &Settings::instance() {
    static Settings only;
    return only;
}
inline int threadsOf() { return Settings::instance().getTuning().getThreads(); }

__global__ void tuned_line(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= 2;
}
__global__ void tuned_tile(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) a[j * n + i] *= 2;
}
void tune(float *a, int n) {
    tuned_line<<<n / threadsOf() + 1, threadsOf()>>>(a, n); // tried: tuned_line<<<7, 192>>>(n=1280) | tuned_line<<<1, 192>>>(n=96)
    tuned_tile<<<dim3(n / 32, n / 4), Settings::instance().getTuning().getTile()>>>(a, n); // tried: tuned_tile<<<(40, 320), (32, 4)>>>(n=1280) | tuned_tile<<<(3, 24), (32, 4)>>>(n=96)
}

class Band {
    int wide_, most_ = 64;
  public:
    Band(int wide) : wide_(wide) {}
    void narrow(int most) { most_ = most; }
    int wideOf() const { return wide_; }
    int threadsIn() const { return wide_ < most_ ? wide_ : most_; }
};
__global__ void banded(float *a, int wide) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < wide) a[i] *= 2;
}
void bands(float *a) {
    Band one(48), two(1000);
    two.narrow(160);
    banded<<<1, one.threadsIn()>>>(a, one.wideOf()); // tried: banded<<<1, 48>>>(wide=48)
    banded<<<7, two.threadsIn()>>>(a, two.wideOf()); // tried: banded<<<7, 160>>>(wide=1000)
}

class Bag {
    int held_;
  public:
    void hold(int count) { held_ = count; }
    int heldIn() const { return held_; }
};
__global__ void bagged(float *a, int left, int right) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < left) a[i] += a[i % right];
}
void match(float *a, Bag *left, Bag *right) { // two objects have sizes of their own
    bagged<<<left->heldIn() / 64, 64>>>(a, left->heldIn(), right->heldIn()); // tried: bagged<<<20, 64>>>(left=1280, right=1152) | bagged<<<1, 64>>>(left=96, right=160)
}
